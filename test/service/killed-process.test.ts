import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import { eventually } from '../support/harness.ts';
import { admitted, readAnswer } from '../support/limit-readings.ts';
import type { ServiceProcess } from '../support/process.ts';
import { ON_POSTGRES } from '../support/shared-store.ts';
import { allNames } from '../support/storage.ts';
import {
  type Customer,
  clientOf,
  Load,
  startThree,
  type Three,
} from '../support/three-processes.ts';

const EVERYTHING = 1_000_000;

/** Checks that everything acknowledged exists once, and that nothing exists without a request. */
function expectOnce(found: readonly string[], asked: readonly string[], known: Set<string>): void {
  const present = new Set(found);
  expect(found.length).toBe(present.size);
  expect([...known.difference(present)]).toEqual([]);
  expect([...present.difference(new Set(asked))]).toEqual([]);
}

async function ask(process: ServiceProcess, { apiKey }: Customer) {
  const headers = { Authorization: `Bearer ${apiKey}` };
  return readAnswer(await fetch(`${process.url()}/pets`, { headers }));
}

/** Blocks a process while it claims a message; returns that process. */
async function claimedByOne(it: Three, { accountId, apiKey }: Customer) {
  const { database, byRole } = it;
  const account = await database.reserve();
  const message = await database.reserve();
  // Every worker skips the account as long as this transaction lasts.
  await account.unsafe('BEGIN');
  await account.unsafe('SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
  for (const process of it.all) await clientOf(process, apiKey).sendMessage(`by ${process.port}`);
  await message.unsafe('BEGIN');
  await message.unsafe('SELECT 1 FROM messages WHERE account_id = $1 FOR UPDATE', [accountId]);
  await account.unsafe('ROLLBACK');
  account.release();
  const claiming = async () => {
    const rows = await database.unsafe<{ role: string }[]>(
      `SELECT usename AS role FROM pg_stat_activity
       WHERE wait_event_type = 'Lock' AND query LIKE '%UPDATE messages%'`,
    );
    return rows.map(({ role }) => role);
  };
  await eventually(async () => (await claiming()).length > 0);
  const [role = ''] = await claiming();
  const process = byRole.get(role);
  if (!process) throw new Error(`No process is ${role}.`);
  return {
    process,
    /** Waits until the database has ended the statement of the dead process. */
    ended: () => eventually(async () => !(await claiming()).includes(role)),
    async letGo(): Promise<void> {
      await message.unsafe('ROLLBACK');
      message.release();
    },
  };
}

/** Checks that every answered request is counted once; broken-off ones may be counted or not. */
async function expectCounted(
  { customer, answers, broken, failures }: Load,
  survivors: readonly ServiceProcess[],
): Promise<void> {
  expect(failures).toEqual([]);
  for (const [asked, survivor] of survivors.entries()) {
    const { minute, day } = await ask(survivor, customer);
    for (const { quota, remaining } of [minute, day]) {
      const counted = quota - remaining - asked - 1;
      expect(counted).toBeWithin(answers, answers + broken + 1);
    }
  }
}

describe.skipIf(!ON_POSTGRES.isHere)('SIGKILL of one of three processes under load', () => {
  test('lets the others serve on, and loses or doubles no animal and no message', async () => {
    await using it = await startThree();
    const customers = await Promise.all(['a', 'b', 'c'].map((name) => it.customer(name)));
    const claimed = await it.customer('claimed');
    const loads = customers.map((customer) => new Load(customer, it.all));
    await eventually(() => loads.every(({ answers }) => answers > 100));

    const claim = await claimedByOne(it, claimed);
    for (const load of loads) load.expectEndOf(claim.process);
    await claim.process.end('SIGKILL');
    const survivors = it.all.filter((process) => process !== claim.process);
    const answeredBy = (process: ServiceProcess) =>
      loads.reduce((sum, { answered }) => sum + (answered.get(process) ?? 0), 0);
    for (const survivor of survivors) {
      const before = answeredBy(survivor);
      await eventually(() => answeredBy(survivor) > before + 100);
    }
    await claim.ended();
    const isDelivered = ({ deliveredAt }: { deliveredAt: unknown }) => deliveredAt !== undefined;
    const undelivered = await it.stores.messages.list(claimed.accountId, EVERYTHING);
    expect(undelivered.map(isDelivered)).toEqual([false, false, false]);
    await claim.letGo();
    await Promise.all(loads.map((load) => load.end()));
    await eventually(async () => (await it.stores.messages.queued()) === 0);

    const [survivor = claim.process] = survivors;
    expect(loads.flatMap(({ failures }) => failures)).toEqual([]);
    const asked = loads.flatMap(({ animals }) => animals.asked);
    const made = new Set(loads.flatMap(({ animals }) => [...animals.made]));
    expectOnce(await allNames(clientOf(survivor, claimed.apiKey)), asked, made);
    const inboxOf = async ({ accountId }: Customer) =>
      (await it.stores.messages.list(accountId, EVERYTHING)).map(({ text }) => text);
    for (const { customer, texts } of loads) {
      expectOnce(await inboxOf(customer), texts.asked, texts.accepted);
    }
    const byAll = it.all.map(({ port }) => `by ${port}`);
    expect((await inboxOf(claimed)).toReversed()).toEqual(byAll);
  });

  test('loses none of its counts: both windows continue in every other process', async () => {
    await using it = await startThree();
    const limits = { perMinute: 100, perDay: 150 };
    const steady = await it.customer('steady', subscribe('enterprise', limits));
    const customers = await Promise.all(['a', 'b'].map((name) => it.customer(name)));
    const loads = customers.map((customer) => new Load(customer, it.all));
    await eventually(() => loads.every(({ answers }) => answers > 100));
    // From here on nothing is slow: the minute must not end before its limit is used up.
    for (let round = 0; round < 10; round += 1) {
      for (const process of it.all) await ask(process, steady);
    }
    const [killed, ...survivors] = it.all;
    for (const load of loads) load.expectEndOf(killed);
    await killed.end('SIGKILL');

    let used = 30;
    for (const survivor of survivors) {
      const { minute, day } = await ask(survivor, steady);
      used += 1;
      expect([minute.remaining, day.remaining]).toEqual([100 - used, 150 - used]);
    }
    const rush = Array.from({ length: 75 }, () => survivors.map((each) => ask(each, steady)));
    expect(admitted(await Promise.all(rush.flat()))).toBe(100 - used);

    await Promise.all(loads.map((load) => load.end()));
    for (const load of loads) await expectCounted(load, survivors);
  });

  test('loses usage of its last ten seconds at the most, and none that others counted', async () => {
    await using it = await startThree();
    const customer = await it.customer('a');
    const load = new Load(await it.customer('b'), it.all);
    const [killed, ...survivors] = it.all;
    const usage = async () => {
      const hours = await it.stores.usage.byPeriod({ accountId: customer.accountId, first: 0 });
      return hours.reduce((sum, { succeeded }) => sum + succeeded, 0);
    };
    const askTimes = async (process: ServiceProcess, times: number) => {
      for (let asked = 0; asked < times; asked += 1) await ask(process, customer);
    };
    await askTimes(killed, 12);
    await eventually(async () => (await usage()) === 12);
    await askTimes(killed, 5);
    for (const survivor of survivors) await askTimes(survivor, 7);
    load.expectEndOf(killed);
    await killed.end('SIGKILL');
    await load.end();
    for (const survivor of survivors) expect(await survivor.end('SIGTERM')).toBe(0);
    expect(await usage()).toBeWithin(12 + 14, 12 + 14 + 5 + 1);
  });
});
