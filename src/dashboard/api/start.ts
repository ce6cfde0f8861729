import type { UsageStore } from '../../core/usage.ts';
import type { StepsInfo } from '../shared/api.ts';
import { keyLink } from './key-info.ts';
import { json } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

export const startRoutes: readonly Route[] = [
  { method: 'GET', path: '/start', access: 'account', handle: show },
];

/** Nothing is stored for it: the keys, the usage and the messages of the account tell. */
async function show({ options, account }: AccountContext): Promise<Response> {
  const { stores, clock } = options;
  const now = clock.now().wall;
  const [[key], { lastUsedAt }, { latest }] = await Promise.all([
    stores.keys.page(account.id, 1, undefined, { live: { is: true, now } }),
    stores.keys.activity(account.id, now),
    stores.messages.activity(account.id),
  ]);
  const hasSentMessage = latest !== undefined;
  const hasRequested =
    hasSentMessage || lastUsedAt !== undefined || (await isCounted(stores.usage, account.id));
  return json<StepsInfo>(200, { key: key ? keyLink(key) : null, hasRequested, hasSentMessage });
}

/** Whether any request was counted, such as those of keys that have ended. */
async function isCounted(usage: UsageStore, accountId: string): Promise<boolean> {
  return (await usage.byPeriod({ accountId, first: 0 })).length > 0;
}
