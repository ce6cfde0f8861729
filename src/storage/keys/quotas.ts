import type { Selectable } from 'kysely';
import type { SavedQuota } from '../../core/quota.ts';
import type { Database } from '../schema/schema.ts';

/** The columns that a saved quota is read from. */
export const QUOTA_COLUMNS = [
  'caller',
  'minute_ends_at',
  'minute_used',
  'day',
  'day_used',
] as const;

export function quotaFromRow(row: Selectable<Database['quotas']>): SavedQuota {
  return {
    caller: row.caller,
    minuteEndsAt: row.minute_ends_at,
    minuteUsed: row.minute_used,
    day: row.day,
    dayUsed: row.day_used,
  };
}
