import type { Selectable } from 'kysely';
import type { Environment } from '../../core/environments.ts';
import type { QuotaStore, SavedQuota } from '../../core/limits/quota.ts';
import type { Database } from '../schema/schema.ts';
import type { WriteKinds } from '../write-kinds.ts';

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

/** The same store, with the outcome of each save recorded. */
export function watchQuotas(
  store: QuotaStore,
  environment: Environment,
  kinds: WriteKinds,
): QuotaStore {
  const watch = kinds.watcher(`saves of quotas in ${environment}`);
  return {
    find: (caller) => store.find(caller),
    save(quotas) {
      const saved = store.save(quotas);
      // Saving none always succeeds.
      return quotas.length === 0 ? saved : watch(saved);
    },
    drop: (callers) => store.drop(callers),
    prune: (now) => store.prune(now),
  };
}
