import { ENVIRONMENTS } from '../../core/environments.ts';
import { hourOf } from '../../core/requests/usage.ts';
import type { DashboardOptions } from '../options.ts';
import type { Session } from '../session.ts';
import type { LiveTopic } from '../shared/live.ts';

/**
 * A fingerprint of an account's requests by topic: the text changes when there is something new to
 * show.
 */
export type Activity = ReadonlyMap<LiveTopic, string>;

/**
 * Reads the changes that an account's requests have made. They are not in the change feed, because
 * a row for each request would cost more than the request. May raise `StorageUnavailable`.
 * @param pets differs after each change of animals, by anybody.
 */
export async function activityOf(
  { account }: Pick<Session, 'account'>,
  { stores, currentUsage, clock }: DashboardOptions,
  pets: string,
): Promise<Activity> {
  const now = clock.now().wall;
  const environments = ENVIRONMENTS.map((name) => stores.environment(name));
  const [keys, messages, bans, records, requests, orders, ...windows] = await Promise.all([
    stores.keys.activity(account.id, now),
    stores.messages.activity(account.id),
    stores.bans.ofAccount(account.id, now, MOST_BANS),
    stores.usage.byPeriod({ accountId: account.id, first: hourOf(now) - 1 }),
    stores.requestLog.page(account.id, {}, WATCHED_REQUESTS),
    Promise.all(environments.map((each) => each.orders.activity(account.id))),
    ...ENVIRONMENTS.map((environment) => currentUsage(account, environment)),
  ]);
  const remaining = windows.map(({ minute, day }) => [minute.remaining, day.remaining]);
  const inForce = bans.map(({ id, endsAt, liftedAt }) => [id, endsAt, liftedAt]);
  const found: [LiveTopic, unknown][] = [
    ['everything', inForce],
    ['keys', keys],
    ['messages', messages],
    ['pets', pets],
    ['usage', [remaining, records]],
    ['reports', records],
    ['requests', requests.map(({ id }) => id)],
    ['sandbox', remaining],
    ['orders', orders],
  ];
  if (account.role === 'operator') {
    found.push([
      'operator',
      [await bansInForce(stores.bans, now), await latestOrders(environments)],
    ]);
  }
  return new Map(found.map(([topic, state]) => [topic, JSON.stringify(state)]));
}

/**
 * The number of latest requests that are compared: those of a page. A request with a slow reply is
 * logged after later ones, so the latest one alone does not tell of it.
 */
const WATCHED_REQUESTS = 50;

/** Maximum number of bans that are compared; changes of further ones are not detected. */
const MOST_BANS = 20;

async function bansInForce(bans: DashboardOptions['stores']['bans'], now: number) {
  return (await bans.active(now)).map(({ id, endsAt }) => [id, endsAt]);
}

/** Maximum number of latest orders that are compared in each environment: those of a page for operators. */
const WATCHED_ORDERS = 25;

async function latestOrders(
  environments: ReadonlyArray<ReturnType<DashboardOptions['stores']['environment']>>,
) {
  const pages = environments.map(({ orders }) => orders.latest({ limit: WATCHED_ORDERS }));
  return (await Promise.all(pages)).map(({ orders }) =>
    orders.map(({ id, status }) => [id, status]),
  );
}

/** The topics whose text differs; all of them if there is no earlier activity. */
export function changedTopics(before: Activity | undefined, now: Activity): readonly LiveTopic[] {
  if (!before) return ['everything'];
  return [...now].flatMap(([topic, state]) => (before.get(topic) === state ? [] : [topic]));
}
