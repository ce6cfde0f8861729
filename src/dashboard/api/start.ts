import type { UsageStore } from '../../core/requests/usage.ts';
import type { StepsInfo } from '../shared/api.ts';
import { keyLink } from './key-info.ts';
import { json } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

export const startRoutes: readonly Route[] = [
  { method: 'GET', path: '/start', access: 'account', handle: show },
];

/** The steps are not stored: they are derived from the keys, usage and messages of the account. */
async function show({ options, account }: AccountContext): Promise<Response> {
  const { stores, clock } = options;
  const now = clock.now().wall;
  const [[key], { lastUsedAt }, { latest }] = await Promise.all([
    // Nobody has seen the text of a temporary key.
    stores.keys.page(account.id, 1, undefined, { live: { is: true, now }, isTemporary: false }),
    stores.keys.activity(account.id, now),
    stores.messages.activity(account.id),
  ]);
  const hasSentMessage = latest !== undefined;
  const hasRequested =
    hasSentMessage || lastUsedAt !== undefined || (await isCounted(stores.usage, account.id));
  return json<StepsInfo>(200, { key: key ? keyLink(key) : null, hasRequested, hasSentMessage });
}

/**
 * Whether any request was counted, including requests of keys that have expired or were revoked.
 */
async function isCounted(usage: UsageStore, accountId: string): Promise<boolean> {
  return (await usage.byPeriod({ accountId, first: 0 })).length > 0;
}
