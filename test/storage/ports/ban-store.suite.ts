import { expect, test } from 'bun:test';
import type { BanRecord } from '../../../src/core/limits/ban-records.ts';
import { DAY, HOUR } from '../../../src/lib/clock.ts';
import {
  account,
  type Backend,
  ban,
  keptKey,
  NOON,
  type OpenBackend,
  portSuite,
} from './backend.ts';

async function bannedKey(backend: Backend, email?: string) {
  const owner = await account(backend, email);
  return keptKey(backend, owner.id);
}

async function record({ bans }: Backend, ...records: BanRecord[]): Promise<void> {
  for (const each of records) await bans.record(each);
}

/** Tests of a ban store, for every database. */
export const banStoreSuite = portSuite('a ban store', showing, lifting, building);

function showing(open: OpenBackend): void {
  test('shows the bans in force, the oldest first, as they were recorded', async () => {
    await using backend = await open();
    const key = await bannedKey(backend);
    const younger = ban(key, { startsAt: NOON + 1, level: 2, environment: 'staging' });
    const older = ban(key, { startsAt: NOON - 1, reason: "it's ''quoted''" });
    await record(backend, younger, older);
    expect(await backend.bans.active(NOON)).toEqual([older, younger]);
  });

  test('records a ban once, as it was recorded first, when it is recorded again', async () => {
    await using backend = await open();
    const first = ban(await bannedKey(backend));
    await record(backend, first, { ...first, level: 2 });
    expect(await backend.bans.active(NOON)).toEqual([first]);
  });

  test('shows a ban up to its last millisecond', async () => {
    await using backend = await open();
    const past = ban(await bannedKey(backend), { endsAt: NOON });
    await record(backend, past);
    expect(await backend.bans.active(NOON - 1)).toEqual([past]);
    expect(await backend.bans.active(NOON)).toEqual([]);
  });

  test("shows an account's bans of all its keys, lifted ones too, the latest first", async () => {
    await using backend = await open();
    const key = await bannedKey(backend);
    const second = await keptKey(backend, key.accountId, { environment: 'staging' });
    const other = await bannedKey(backend, 'other@example.com');
    const past = ban(key, { startsAt: NOON - 2 * HOUR, endsAt: NOON });
    const current = ban(second, { startsAt: NOON - HOUR });
    const lifted = ban(key);
    await record(backend, current, past, lifted, ban(other));
    await backend.bans.lift(lifted.id, 'ada', NOON);
    const { accountId } = key;
    const onRecord = { ...lifted, liftedAt: NOON, liftedBy: 'ada' };
    expect(await backend.bans.ofAccount(accountId, NOON - 1, 9)).toEqual([onRecord, current, past]);
    expect(await backend.bans.ofAccount(accountId, NOON, 9)).toEqual([onRecord, current]);
    expect(await backend.bans.ofAccount(accountId, 0, 2)).toEqual([onRecord, current]);
    expect(await backend.bans.ofAccount('acct_unknown', 0, 9)).toEqual([]);
  });
}

function lifting(open: OpenBackend): void {
  test('lifts a ban once, and records it', async () => {
    await using backend = await open();
    const lifted = ban(await bannedKey(backend));
    await record(backend, lifted);
    expect(await backend.bans.lift(lifted.id, 'ada', NOON + 5)).toBe(true);
    expect(await backend.bans.lift(lifted.id, 'bob', NOON + 6)).toBe(false);
    expect(await backend.bans.lift('ban_unknown', 'ada', NOON)).toBe(false);
    expect(await backend.bans.active(NOON + 5)).toEqual([]);
    const onRecord = { ...lifted, liftedAt: NOON + 5, liftedBy: 'ada' };
    expect(await backend.bans.lifted(NOON + 5)).toEqual([onRecord]);
  });

  test('does not lift a ban that has ended', async () => {
    await using backend = await open();
    const past = ban(await bannedKey(backend), { endsAt: NOON });
    await record(backend, past);
    expect(await backend.bans.lift(past.id, 'ada', NOON)).toBe(false);
    expect(await backend.bans.lifted(NOON - 1)).toEqual([]);
  });

  test('returns lifted bans only while they would be in force', async () => {
    await using backend = await open();
    const key = await bannedKey(backend);
    const [short, long] = [ban(key, { endsAt: NOON + 10 }), ban(key, { endsAt: NOON + 20 })];
    await record(backend, short, long);
    await backend.bans.lift(short.id, 'ada', NOON);
    await backend.bans.lift(long.id, 'ada', NOON);
    const ids = (await backend.bans.lifted(NOON + 10)).map(({ id }) => id);
    expect(ids).toEqual([long.id]);
  });
}

function building(open: OpenBackend): void {
  test("gives each key's latest ban, for the next one to build on", async () => {
    await using backend = await open();
    const [key, other] = [await bannedKey(backend), await bannedKey(backend, 'o@example.com')];
    const first = ban(key, { startsAt: NOON - 5 * HOUR, endsAt: NOON - 4 * HOUR });
    const second = ban(key, { startsAt: NOON - HOUR, endsAt: NOON + HOUR, level: 2 });
    const others = ban(other, { startsAt: NOON - 3 * HOUR, endsAt: NOON - 2 * HOUR });
    await record(backend, second, first, others);
    const latest = await backend.bans.latest(NOON - DAY);
    expect(latest.toSorted((one, two) => one.startsAt - two.startsAt)).toEqual([others, second]);
  });

  test('gives the latest ban of a chain of rotations, whichever of its keys led to it', async () => {
    await using backend = await open();
    const key = await bannedKey(backend);
    const successor = await keptKey(backend, key.accountId, { chainId: key.id });
    const first = ban(key, { startsAt: NOON - 5 * HOUR, endsAt: NOON - 4 * HOUR });
    const second = ban(successor, { startsAt: NOON - HOUR, level: 2 });
    await record(backend, second, first);
    expect(second.chainId).toBe(key.id);
    expect(await backend.bans.latest(NOON - DAY)).toEqual([second]);
  });

  test('forgets bans that ended long enough ago', async () => {
    await using backend = await open();
    const past = ban(await bannedKey(backend), { startsAt: NOON - 2 * DAY, endsAt: NOON - DAY });
    await record(backend, past);
    expect(await backend.bans.latest(NOON - DAY - 1)).toEqual([past]);
    expect(await backend.bans.latest(NOON - DAY)).toEqual([]);
  });

  test('gives a key whose latest ban was lifted a clean record', async () => {
    await using backend = await open();
    const key = await bannedKey(backend);
    const first = ban(key, { startsAt: NOON - 5 * HOUR, endsAt: NOON - 4 * HOUR });
    const second = ban(key, { startsAt: NOON - HOUR, level: 2 });
    await record(backend, first, second);
    await backend.bans.lift(second.id, 'ada', NOON);
    expect(await backend.bans.latest(NOON - DAY)).toEqual([]);
  });
}
