import { ENVIRONMENTS } from '../../core/environments.ts';
import { hourOf } from '../../core/usage.ts';
import type { DashboardOptions } from '../options.ts';
import type { Session } from '../session.ts';
import type { LiveTopic } from '../shared/live.ts';

/** The requests of an account as text by topic, which differs once there is something new to show. */
export type Activity = ReadonlyMap<LiveTopic, string>;

/**
 * Looks at what the requests of an account have changed. That is not in the change feed: a row for each request
 * would cost more than the request. May raise `StorageUnavailable`.
 */
export async function activityOf(
  { account }: Pick<Session, 'account'>,
  { stores, currentUsage, clock }: DashboardOptions,
): Promise<Activity> {
  const now = clock.now().wall;
  const [keys, messages, bans, records, requests, ...windows] = await Promise.all([
    stores.keys.activity(account.id, now),
    stores.messages.activity(account.id),
    stores.bans.ofAccount(account.id, now, MOST_BANS),
    stores.usage.byPeriod({ accountId: account.id, first: hourOf(now) - 1 }),
    stores.requestLog.page(account.id, {}, 1),
    ...ENVIRONMENTS.map((environment) => currentUsage(account, environment)),
  ]);
  const remaining = windows.map(({ minute, day }) => [minute.remaining, day.remaining]);
  const inForce = bans.map(({ id, endsAt, liftedAt }) => [id, endsAt, liftedAt]);
  const found: [LiveTopic, unknown][] = [
    ['everything', inForce],
    ['keys', keys],
    ['messages', messages],
    ['usage', [remaining, records]],
    ['requests', requests.map(({ id }) => id)],
    ['sandbox', remaining],
  ];
  if (account.role === 'operator') found.push(['operator', await bansInForce(stores.bans, now)]);
  return new Map(found.map(([topic, state]) => [topic, JSON.stringify(state)]));
}

/** More bans in force at the same time are not told apart. */
const MOST_BANS = 20;

async function bansInForce(bans: DashboardOptions['stores']['bans'], now: number) {
  return (await bans.active(now)).map(({ id, endsAt }) => [id, endsAt]);
}

/** The topics whose text differs; all where nothing was known before. */
export function changedTopics(before: Activity | undefined, now: Activity): readonly LiveTopic[] {
  if (!before) return ['everything'];
  return [...now].flatMap(([topic, state]) => (before.get(topic) === state ? [] : [topic]));
}
