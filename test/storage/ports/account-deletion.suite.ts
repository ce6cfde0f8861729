import { describe, expect, test } from 'bun:test';
import type { Account } from '../../../src/core/accounts/accounts.ts';
import type { TableName } from '../../../src/storage/schema/schema.ts';
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
import { rowCounts } from './row-counts.ts';

/** More than twice the number of rows that one statement deletes. */
const MANY = 2_100;

/** Fills every table that has rows of an account. */
async function fill(backend: Backend, { id, email }: Account): Promise<void> {
  const key = await keptKey(backend, id, {
    name: 'Secret name" (of mine)',
    environment: 'staging',
  });
  await backend.bans.record(ban(key));
  await backend.messages.enqueue(message(id));
  await addMany(backend, id);
  await backend.sandboxes.advanceClock({ accountId: id, by: email, now: NOON }, 1_000);
  await backend.simulations.count(id, 'counter', undefined);
  await backend.keys.revoke(key.id, NOON, email);
  await backend.accounts.suspend(id, 'Secret reason', NOON, 'test');
  const entry = { at: NOON, accountId: id, detail: email } as const;
  await backend.audit.record({ ...entry, by: email, action: 'account.reset_link_made' });
  await backend.audit.record({
    ...entry,
    by: email.toLowerCase(),
    action: 'second_factor.added',
    detail: 'Secret passkey',
  });
  const queries = await backend.queries();
  const times = { created_at: 'now', updated_at: 'now' };
  const session = { id: `session ${id}`, user_id: id, token: `token ${id}`, expires_at: 'later' };
  await queries
    .insertInto('sessions')
    .values({ ...session, ...times })
    .execute();
  const link = { id: `link ${id}`, identifier: 'reset', value: id, expires_at: 'later' };
  await queries
    .insertInto('verifications')
    .values({ ...link, ...times })
    .execute();
}

/** Adds messages and hours of usage, in SQL for both engines. */
async function addMany(backend: Backend, id: string): Promise<void> {
  const numbers = `WITH RECURSIVE numbers (n) AS
    (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${MANY})`;
  await backend.run(
    'accounts',
    `INSERT INTO messages (account_id, id, environment, text, created_at)
     ${numbers} SELECT '${id}', 'msg_${id}_' || n, 'production', '"x"', ${NOON} FROM numbers`,
  );
  await backend.run(
    'accounts',
    `INSERT INTO usage (account_id, environment, hour, succeeded, client_errors, limited, server_errors)
     ${numbers} SELECT '${id}', 'production', n, 1, 0, 0, 0 FROM numbers`,
  );
}

/** The number of rows of an account by table; the audit log is kept. */
function rowsOf(backend: Backend, id: string): Promise<Record<string, number>> {
  const holderOf = (name: TableName, columns: object) => {
    const holder = name === 'verifications' ? 'value' : 'account_id';
    return name === 'audit' ? undefined : [holder, 'user_id'].find((each) => each in columns);
  };
  return rowCounts(backend, holderOf, id);
}

/** Tests of the deletion of an account, for every database. */
export function accountDeletionSuite(open: OpenBackend): void {
  describe('the deletion of an account', () => {
    test('deletes everything of it, in whatever number, and nothing of another account', async () => {
      await using backend = await open();
      const gone = await account(backend, 'Gone@example.com');
      const other = await account(backend, 'other@example.com');
      await fill(backend, gone);
      await fill(backend, other);
      const before = await rowsOf(backend, other.id);
      expect(before).toMatchObject({ api_keys: 1, messages: MANY + 1, usage: MANY, sessions: 1 });
      expect(await rowsOf(backend, gone.id)).toEqual(before);

      await backend.accounts.delete(gone.id, NOON, 'test');

      expect(await rowsOf(backend, gone.id)).toEqual({});
      expect(await backend.accounts.find(gone.id)).toBeUndefined();
      expect(await rowsOf(backend, other.id)).toEqual(before);
      await backend.accounts.delete(gone.id, NOON, 'test');
      expect(await backend.audit.list(1)).toMatchObject([{ action: 'account.deleted' }]);
    });

    test('frees the pets of its open orders, deletes all its orders, and is not left unfinished', async () => {
      await using backend = await open();
      const gone = await account(backend, 'gone@example.com');
      const other = await account(backend, 'other@example.com');
      for (const environment of ['production', 'staging'] as const) {
        await backend.pets(environment).import([pet('One'), pet('Two')]);
        const orders = backend.orders(environment);
        await orders.create({ accountId: gone.id, petId: 1 }, at());
        await orders.create({ accountId: other.id, petId: 2 }, at());
      }
      await backend.accounts.delete(gone.id, NOON, 'test');
      for (const environment of ['production', 'staging'] as const) {
        const { pets } = await backend.pets(environment).list({ limit: 10, after: 0 });
        expect(pets.map(({ status }) => status)).toEqual(['available', 'pending']);
        const { orders } = await backend.orders(environment).listAll({ limit: 10, after: 0 });
        expect(orders.map(({ accountId }) => accountId)).toEqual([other.id]);
      }
      expect(await backend.unfinishedDeletions.list()).toEqual([]);
    });

    test('keeps entries of the audit log without what people have written', async () => {
      await using backend = await open();
      const gone = await account(backend, 'Gone@example.com');
      const other = await account(backend, 'other@example.com');
      await fill(backend, gone);
      await fill(backend, other);
      // The operator who is deleted has changed other accounts.
      await backend.accounts.suspend(other.id, 'x', NOON, gone.email);
      await backend.accounts.resume(other.id, NOON, gone.email);
      const before = await backend.audit.list(100);

      await backend.accounts.delete(gone.id, NOON, gone.email);

      const [deletion, ...entries] = await backend.audit.list(100);
      expect(deletion).toMatchObject({ action: 'account.deleted', by: gone.id, detail: '' });
      expect(entries.map(({ number, action }) => [number, action])).toEqual(
        before.map(({ number, action }) => [number, action]),
      );
      const text = JSON.stringify(entries.filter(({ accountId }) => accountId === gone.id));
      expect(text).not.toMatch(/secret/i);
      expect(JSON.stringify(entries)).not.toMatch(/gone@/i);
      expect(entries).toContainEqual(
        expect.objectContaining({
          action: 'key.revoked',
          by: gone.id,
          detail: expect.stringMatching(/^staging key \(pst_live_…wxyz, key_\w+\)$/),
        }),
      );
      expect(entries[0]).toMatchObject({ action: 'account.resumed', by: gone.id });
      const ofOther = entries.filter(({ by }) => by === other.email);
      expect(JSON.stringify(ofOther)).toContain('Secret name');
    });

    test('tells servers to forget its keys', async () => {
      await using backend = await open();
      const gone = await account(backend);
      const seen = await backend.changes.revision();
      await backend.accounts.delete(gone.id, NOON, 'test');
      const { changes } = await backend.changes.since(BigInt(seen));
      expect(changes).toContainEqual({ kind: 'account', id: gone.id });
    });
  });
}
