import { expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import type { IssuedKeyInfo, KeyPage } from '../../src/dashboard/shared/api.ts';
import { DAY, HOUR, SECOND } from '../../src/lib/clock.ts';
import {
  createKey,
  customer,
  expectRefusal,
  keysOf,
  messagesOf,
  sendMessage,
  usageOf,
} from '../support/dashboard-scene.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';
import { sharedService } from '../support/shared-service.ts';

const KEY = { name: 'one more', environment: 'production' };

// The commands use the machine's clock.
const clock = new ManualClock(Math.ceil(Date.now() / SECOND) * SECOND);
const service = sharedService(() => TestService.start({ parts: PARTS, clock }));

test('the command line is not held to the keys of a day', async () => {
  const visitor = await customer(service());
  const { apiKeyService, accounts } = service().stores;
  const account = await accounts.find(visitor.accountId);
  if (!account) throw new Error('There is no account.');
  for (let made = 0; made < 100; made += 1) {
    const { key } = await apiKeyService.issue(
      account,
      { ...KEY, environment: 'production' },
      'test',
    );
    await apiKeyService.revoke(key.id, 'test');
  }
  expect((await visitor.post('/api/keys', KEY)).status).toBe(429);
  const settings = { PETSTORE_DATA_DIR: service().folder.path };
  const create = await runCommand(['keys', 'create', visitor.email, '--json'], settings);
  expect(create).toMatchObject({ code: 0 });
  const rotate = await runCommand(['keys', 'rotate', JSON.parse(create.stdout).id], settings);
  expect(rotate).toMatchObject({ code: 0 });
  const list = await runCommand(['keys', 'list', visitor.email, '--json'], settings);
  expect(JSON.parse(list.stdout)).toHaveLength(102);
});

test('at most 100 keys are made in one day, by creation and by rotation, ended ones included', async () => {
  const visitor = await customer(service());
  let { key } = await createKey(visitor);
  for (let made = 1; made < 100; made += 1) {
    const rotation = `/api/keys/${key.id}/rotate`;
    ({ key } = await visitor.json<IssuedKeyInfo>('POST', rotation, { overlap: '0' }));
  }
  const untilMidnight = DAY - (clock.now().wall % DAY);
  const attempts = [
    () => visitor.post('/api/keys', KEY),
    () => visitor.post(`/api/keys/${key.id}/rotate`, { overlap: '0' }),
  ];
  for (const attempt of attempts) {
    const reply = await attempt();
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'retry-after': String(untilMidnight / SECOND),
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String((clock.now().wall + untilMidnight) / SECOND),
    });
    expect(await expectRefusal(reply, 429, 'rate_limited')).toContain('tomorrow');
  }
  expect((await keysOf(visitor))[0]).toMatchObject({ id: key.id, state: 'active' });
  // A new account with the same address has the same limit.
  const { password } = visitor;
  expect((await visitor.post('/api/auth/delete-user', { password })).status).toBe(200);
  await visitor.signUp();
  await expectRefusal(await visitor.post('/api/keys', KEY), 429, 'rate_limited');
  clock.advance(untilMidnight);
  await visitor.signIn();
  expect((await visitor.post('/api/keys', KEY)).status).toBe(201);
});

test('the list comes in pages of 50, which stay small and overlap in nothing', async () => {
  const visitor = await customer(service());
  for (let made = 0; made < 60; made += 1) await createKey(visitor, { name: `key ${made}` });
  const reply = await visitor.get('/api/keys');
  const { keys, next }: KeyPage = await reply.json();
  expect(keys).toHaveLength(50);
  clock.advance(SECOND);
  await createKey(visitor, { name: 'made meanwhile' });
  const path = `/api/keys?from=${next}`;
  const second = await visitor.json<KeyPage>('GET', path);
  expect(second.next).toBeNull();
  const names = [...keys, ...second.keys].map(({ name }) => name);
  expect(new Set(names).size).toBe(60);
  expect(second.keys.map(({ name }) => name)).toContain('key 0');
  for (const from of ['', '1', 'x.key_1', "1.key_'", '1.key_1.2', `${'9'.repeat(16)}.key_1`]) {
    const bad = await visitor.get(`/api/keys?from=${encodeURIComponent(from)}`);
    await expectRefusal(bad, 400, 'invalid');
  }
});

test('a key is removed 90 days after its end, and what it sent and used stays', async () => {
  const visitor = await customer(service());
  const { key, text } = await createKey(visitor, { name: 'ended' });
  const { key: rotated } = await createKey(visitor, { name: 'rotated' });
  const rotation = `/api/keys/${rotated.id}/rotate`;
  const { key: successor } = await visitor.json<IssuedKeyInfo>('POST', rotation, { overlap: '1h' });
  await visitor.delete(`/api/keys/${key.id}`);
  clock.advance(90 * DAY);
  await visitor.signIn();
  const idsAfter = async (time: number) => {
    clock.advance(time);
    await service().runJobs('prune expired rows');
    return (await keysOf(visitor)).map(({ id }) => id).toSorted();
  };
  const { key: fresh, text: freshText } = await createKey(visitor);
  const messageId = await sendMessage(service(), freshText, 'still here');
  const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
  const create = () => service().post(freshText, body, { 'Idempotency-Key': 'same' });
  const pet = await (await create()).json();
  expect(await idsAfter(0)).toEqual([key.id, rotated.id, successor.id, fresh.id].toSorted());
  expect(await idsAfter(1)).toEqual([rotated.id, successor.id, fresh.id].toSorted());
  expect(await idsAfter(HOUR)).toEqual([successor.id, fresh.id].toSorted());
  expect((await service().request('/pets', { key: text })).status).toBe(401);
  expect(await (await create()).json()).toEqual(pet);
  await service().runJobs('deliver messages', 'save production usage');
  expect((await messagesOf(visitor)).map(({ id }) => id)).toEqual([messageId]);
  expect((await usageOf(visitor)).days.at(-1)?.succeeded).toBeGreaterThan(0);
  const entries = await service().stores.audit.list(50);
  const removed = entries.filter(({ action }) => action === 'key.removed');
  expect(removed.map(({ accountId }) => accountId)).toContain(visitor.accountId);
});
