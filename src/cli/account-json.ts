import type { Account } from '../core/accounts.ts';
import { isoTime } from './output.ts';

/** An account as commands print it as JSON. */
export function accountJson({ limits, createdAt, suspension, ...account }: Account) {
  return {
    ...account,
    ...limits,
    createdAt: isoTime(createdAt),
    suspended: suspension ? { at: isoTime(suspension.at), reason: suspension.reason } : null,
  };
}
