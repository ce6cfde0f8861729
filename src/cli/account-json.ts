import type { Account } from '../core/accounts.ts';

/** An account as commands print it as JSON. */
export function accountJson({ limits, createdAt, ...account }: Account) {
  return { ...account, ...limits, createdAt: new Date(createdAt).toISOString() };
}
