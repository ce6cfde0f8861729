import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { createKey, messagesOf, sendMessage } from '../support/dashboard-scene.ts';
import { LOOK_EVERY, Visitor } from '../support/dashboard-visitor.ts';
import { eventually, TestService } from '../support/harness.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';

describe.skipIf(!hasPostgres)('somebody who comes to a service on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('signs up, makes a key, adds an animal, gets a message, and finds all of it after a restart', async () => {
    const options = {
      parts: PARTS,
      settings: { PETSTORE_DATABASE_URL: await server.createDatabase(), PETSTORE_SECRET: SECRET },
    };
    const first = await TestService.start(options);
    await using _first = first;
    const visitor = await Visitor.signUp(first, 'Ada@example.com');
    const { key, text } = await createKey(visitor);
    const pet = await first.client(text).createPet({ name: 'Rex', categoryId: 2n ** 62n });
    await sendMessage(first, text, 'Hello!');
    const delivered = async (who: Visitor) => (await messagesOf(who))[0]?.status === 'delivered';
    await eventually(() => delivered(visitor), undefined, LOOK_EVERY);
    await first.stop();

    await using second = await TestService.start(options);
    const [found, ...more] = (await second.client(text).listPets()).pets;
    expect([found, more]).toEqual([pet, []]);
    const returned = await Visitor.signIn(second, 'ada@example.com');
    expect(returned.accountId).toBe(visitor.accountId);
    expect(await delivered(returned)).toBe(true);
    const { keys } = await returned.json<{ keys: { id: string }[] }>('GET', '/api/keys');
    expect(keys.map(({ id }) => id)).toEqual([key.id]);
    const { hours } = await returned.json<{ hours: object[] }>('GET', '/api/usage');
    expect(hours).not.toEqual([]);
    const audit = await second.stores.audit.list(10);
    expect(audit.map(({ action }) => action)).toEqual([
      'session.signed_in',
      'key.created',
      'session.signed_in',
      'account.created',
    ]);
  });

  test('loses everything when the account is deleted, and signs in no more', async () => {
    await using service = await TestService.start({
      parts: PARTS,
      settings: { PETSTORE_DATABASE_URL: await server.createDatabase(), PETSTORE_SECRET: SECRET },
    });
    const visitor = await Visitor.signUp(service);
    const { text } = await createKey(visitor);
    expect((await service.request('/pets', { key: text })).status).toBe(200);
    const { password } = visitor;
    const deleted = await visitor.post('/api/auth/delete-user', { password });
    expect(deleted.status).toBe(200);
    expect((await service.request('/pets', { key: text })).status).toBe(401);
    await expect(visitor.signIn()).rejects.toThrow('401');
    expect((await visitor.get('/api/keys')).status).toBe(401);
  });
});
