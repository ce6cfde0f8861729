import { describe, expect, test } from 'bun:test';
import type { Environment } from '../../../src/core/environments.ts';
import type { SavedQuota } from '../../../src/core/limits/quota.ts';
import { DAY, HOUR } from '../../../src/lib/clock.ts';
import { TABLE_NAMES, TABLES } from '../../../src/storage/schema/schema.ts';
import { usageRecord } from '../../support/usage-records.ts';
import {
  account,
  at,
  type Backend,
  ban,
  keptKey,
  message,
  NOON,
  type OpenBackend,
  pet,
} from './backend.ts';
import { entry } from './request-log.suite.ts';
import { rowCounts } from './row-counts.ts';

const REQUEST = { key: 'same', fingerprint: 'print' };
const hour = Math.floor(NOON / HOUR);

/** Adds a row of each kind to an environment. */
async function fill(backend: Backend, accountId: string, environment: Environment): Promise<void> {
  const request = { accountId, ...REQUEST };
  await backend.pets(environment).create(pet('One'), at(), request);
  await backend.pets(environment).import([pet('Two'), pet('Three')]);
  await backend.orders(environment).create({ accountId, petId: 2 }, at(), 'order');
  const quota = { caller: `account:${accountId}`, minuteEndsAt: NOON, minuteUsed: 1 };
  await backend.quotas(environment).save([{ ...quota, day: Math.floor(NOON / DAY), dayUsed: 2 }]);
  await backend.messages.enqueue(message(accountId, { environment }));
  const counts = { succeeded: 1, clientErrors: 2, limited: 3, serverErrors: 4 };
  const mark = { source: crypto.randomUUID(), number: 1 };
  const key = await keptKey(backend, accountId, { environment });
  const used = usageRecord({ accountId, environment, keyId: key.id, hour, ...counts });
  await backend.usage.add([used], mark);
  // The counts of earlier releases.
  await backend.run(
    'accounts',
    `INSERT INTO usage (account_id, environment, hour, succeeded, client_errors, limited, server_errors)
     VALUES ('${accountId}', '${environment}', ${hour}, 1, 0, 0, 0)`,
  );
  await backend.bans.record(ban(key));
  await backend.requestLog.add([entry(accountId, { environment })]);
}

function quota(number: number): SavedQuota {
  const minute = { minuteEndsAt: NOON, minuteUsed: 1 };
  return { caller: `account:${number}`, ...minute, day: Math.floor(NOON / DAY), dayUsed: 2 };
}

/** The number of rows of each kind in an environment, by name. */
async function contents(backend: Backend, accountId: string, environment: Environment) {
  const { pets } = await backend.pets(environment).list({ limit: 100, after: 0 });
  const { orders } = await backend.orders(environment).listAll({ limit: 100, after: 0 });
  const isHere = (each: { readonly environment: Environment }) => each.environment === environment;
  return {
    pets: pets.length,
    orders: orders.length,
    quotas: (await backend.quotas(environment).find(`account:${accountId}`)) ? 1 : 0,
    messages: (await backend.messages.list(accountId, 10)).filter(isHere).length,
    usage: (await backend.usage.byPeriod({ accountId, first: 0 })).filter(isHere).length,
    bans: (await backend.bans.active(NOON + 1)).filter(isHere).length,
    requests: (await backend.requestLog.page(accountId, { environment }, 10)).length,
    keys: (await backend.keys.list(accountId)).filter(isHere).length,
  };
}

/** The number of rows of an environment, by table of the accounts file. */
function rowsOf(backend: Backend, environment: Environment): Promise<Record<string, number>> {
  const environmentOf = (_: string, columns: object) =>
    'environment' in columns ? 'environment' : undefined;
  return rowCounts(backend, environmentOf, environment);
}

/** A new table must be filled, too. */
const TABLES_OF_ENVIRONMENTS = TABLE_NAMES.filter((name) => {
  const { file, columns } = TABLES[name];
  return file === 'accounts' && 'environment' in columns;
});

async function reset(backend: Backend, environment: Environment): Promise<void> {
  await backend.resetEnvironment(environment);
  await backend.environmentResets.reset([environment], 'test', NOON);
}

const FILLED = {
  pets: 3,
  orders: 1,
  quotas: 1,
  messages: 1,
  usage: 1,
  bans: 1,
  requests: 1,
  keys: 1,
};
const EMPTY = {
  pets: 0,
  orders: 0,
  quotas: 0,
  messages: 0,
  usage: 0,
  bans: 0,
  requests: 0,
  keys: 1,
};

/** Tests of the reset of an environment, for every database. */
export function environmentResetSuite(open: OpenBackend): void {
  describe('the reset of an environment', () => {
    test('deletes what it holds apart from keys, and leaves the other environment as it is', async () => {
      await using backend = await open();
      const { id } = await account(backend);
      await fill(backend, id, 'production');
      await fill(backend, id, 'staging');
      const rows = await rowsOf(backend, 'production');
      expect(Object.keys(rows)).toEqual(TABLES_OF_ENVIRONMENTS);
      expect(await rowsOf(backend, 'staging')).toEqual(rows);
      await reset(backend, 'staging');
      expect(await contents(backend, id, 'staging')).toEqual(EMPTY);
      expect(await rowsOf(backend, 'staging')).toEqual({ api_keys: 1 });
      expect(await contents(backend, id, 'production')).toEqual(FILLED);
      expect(await rowsOf(backend, 'production')).toEqual(rows);
      await reset(backend, 'production');
      expect(await contents(backend, id, 'production')).toEqual(EMPTY);
    });

    test('deletes any number of rows between those of the other environment, and none of these', async () => {
      await using backend = await open();
      const { id } = await account(backend);
      const each = Array.from({ length: 2_600 }, (_, number) => number);
      const enqueue = (environment: Environment) =>
        backend.messages.enqueue(message(id, { environment }));
      await Promise.all(each.flatMap(() => [enqueue('production'), enqueue('staging')]));
      const used = (environment: Environment) =>
        each.map((number) => {
          const of = { accountId: id, environment, keyId: `key_${environment}` };
          return usageRecord({ ...of, hour: hour + number });
        });
      const mark = { source: crypto.randomUUID(), number: 1 };
      await backend.usage.add([...used('production'), ...used('staging')], mark);
      for (const environment of ['production', 'staging'] as const) {
        await backend.requestLog.add(each.map(() => entry(id, { environment })));
        await backend.quotas(environment).save(each.map(quota));
      }
      await reset(backend, 'staging');
      const messages = await backend.messages.list(id, 6_000);
      const usage = await backend.usage.byPeriod({ accountId: id, first: 0 });
      for (const rows of [messages, usage]) {
        expect(rows).toHaveLength(each.length);
        expect(rows.every(({ environment }) => environment === 'production')).toBe(true);
      }
      expect(await backend.requestLog.page(id, { environment: 'staging' }, 1)).toEqual([]);
      const requests = await backend.requestLog.page(id, {}, 6_000);
      expect(requests).toHaveLength(each.length);
      for (const number of [0, 999, 1_000, 2_599]) {
        const { caller } = quota(number);
        expect(await backend.quotas('staging').find(caller)).toBeUndefined();
        expect(await backend.quotas('production').find(caller)).toEqual(quota(number));
      }
    });

    test('lets ids begin at 1 again, and an idempotent request be made again', async () => {
      await using backend = await open();
      const { id } = await account(backend);
      await fill(backend, id, 'staging');
      await reset(backend, 'staging');
      const request = { accountId: id, ...REQUEST };
      const again = await backend.pets('staging').create(pet('New'), at(), request);
      expect(again).toEqual({ kind: 'created', pet: { id: 1, ...pet('New') } });
      const next = await backend.pets('staging').create(pet('Next'), at());
      expect(next).toEqual({ kind: 'created', pet: { id: 2, ...pet('Next') } });
      const order = { accountId: id, petId: 2 };
      expect(await backend.orders('staging').create(order, at(), 'order')).toMatchObject({
        kind: 'created',
        order: { id: 1 },
      });
    });

    test('loses no creation that another process makes at the same time, and gives no id twice', async () => {
      await using backend = await open();
      await using other = await backend.another();
      const { id: accountId } = await account(backend);
      const create = async (index: number) => {
        const request = { accountId, key: String(index), fingerprint: 'print' };
        await Bun.sleep(index % 7);
        return other.pets('staging').create(pet(`${index}`), at(), index % 2 ? request : undefined);
      };
      const created = Promise.all(Array.from({ length: 30 }, (_, index) => create(index)));
      await reset(backend, 'staging');
      expect((await created).every(({ kind }) => kind === 'created')).toBe(true);
      const outcomes = [];
      for (let index = 30; index < 80; index += 1) outcomes.push(await create(index));
      const later = outcomes.map((each) => (each.kind === 'created' ? each.pet.id : 0));
      expect(new Set(later).size).toBe(50);
      const { pets } = await backend.pets('staging').list({ limit: 100, after: 0 });
      const names = new Map(pets.map(({ id, name }) => [id, name]));
      for (const [index, id] of later.entries()) {
        expect(names.get(id)).toBe(String(index + 30));
      }
    });

    test('is announced in the change feed without deleting anything', async () => {
      await using backend = await open();
      const { id } = await account(backend);
      await fill(backend, id, 'staging');
      const seen = await backend.changes.revision();
      await backend.environmentResets.announce(['staging']);
      const { changes } = await backend.changes.since(BigInt(seen));
      expect(changes).toEqual([{ kind: 'pets', id: 'staging' }]);
      expect(await contents(backend, id, 'staging')).toEqual(FILLED);
      expect(await backend.audit.list(1, undefined, { actions: ['environment.reset'] })).toEqual(
        [],
      );
    });

    test('is in the change feed and on the audit log', async () => {
      await using backend = await open();
      const seen = await backend.changes.revision();
      await reset(backend, 'staging');
      const { changes } = await backend.changes.since(BigInt(seen));
      expect(changes).toEqual([{ kind: 'environment', id: 'staging' }]);
      expect(await backend.audit.list(1)).toMatchObject([
        { by: 'test', action: 'environment.reset', detail: 'staging', at: NOON },
      ]);
    });

    test('of staging puts the sandboxes back and the counts of simulations; that of production does not', async () => {
      await using backend = await open();
      const { id: accountId } = await account(backend);
      const change = { accountId, by: 'test', now: NOON };
      await backend.sandboxes.advanceClock(change, HOUR);
      await backend.simulations.count(accountId, 'counter', undefined);
      await reset(backend, 'production');
      expect((await backend.sandboxes.find(accountId)).clockOffset).toBe(HOUR);
      await reset(backend, 'staging');
      expect((await backend.sandboxes.find(accountId)).clockOffset).toBe(0);
      expect(await backend.simulations.count(accountId, 'counter', undefined)).toBe(1);
    });
  });
}
