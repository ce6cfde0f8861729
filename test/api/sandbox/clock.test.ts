import { describe, expect, spyOn, test } from 'bun:test';
import { StorageUnavailable } from '../../../src/core/errors.ts';
import { subscribe } from '../../../src/core/limits/plans.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/lib/clock.ts';
import { readLimits } from '../../support/limit-readings.ts';
import { refusalOf } from '../../support/problem.ts';
import { WITH_QUICKSTART } from '../../support/quickstart-scene.ts';
import {
  advance,
  callSandbox,
  listPets,
  type SandboxScene,
  sandbox,
  sandboxScene,
} from '../../support/sandbox-scene.ts';

const ONE = subscribe('enterprise', { perMinute: 1, perDay: 1_000 });
const REMOVAL = Date.UTC(2030, 11, 5);

function secondsUntil(moment: number, { clock }: SandboxScene): number {
  return Math.ceil((moment - clock.now().wall) / SECOND);
}

function create(it: SandboxScene, idempotencyKey: string): Promise<Response> {
  return it.service.request('/pets', {
    key: it.secret,
    environment: 'staging',
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
    body: JSON.stringify({ name: 'Rex', categoryId: 7 }),
  });
}

describe('a clock that is moved forward', () => {
  test('ends the minute, and X-RateLimit-Reset follows it', async () => {
    await using it = await sandboxScene(ONE);
    const before = readLimits(await listPets(it.service, it.secret));
    expect((await listPets(it.service, it.secret)).status).toBe(429);

    const { clock } = await advance(it.service, it.secret, 60);
    const after = readLimits(await listPets(it.service, it.secret));

    expect(clock).toEqual({ offsetSeconds: 60, now: '2027-01-02T12:01:00.000Z' });
    expect(after).toMatchObject({ status: 200, remaining: 0, reset: before.reset + 60 });
  });

  test('ends the day', async () => {
    await using it = await sandboxScene(subscribe('enterprise', { perMinute: 9, perDay: 1 }));
    await listPets(it.service, it.secret);
    const refused = readLimits(await listPets(it.service, it.secret));
    expect(refused.status).toBe(429);

    await advance(it.service, it.secret, refused.retryAfter ?? 0);

    expect((await listPets(it.service, it.secret)).status).toBe(200);
  });

  test('ends a ban', async () => {
    await using it = await sandboxScene(ONE, { settings: { PETSTORE_BAN_AFTER: '1' } });
    await listPets(it.service, it.secret);
    await listPets(it.service, it.secret);
    it.clock.advance(2 * SECOND);
    const banned = await listPets(it.service, it.secret);
    expect(banned.headers.get('Retry-After')).toBe('300');
    expect(await refusalOf(banned)).toMatchObject({ code: 'api_key_banned' });

    await advance(it.service, it.secret, 299);
    expect((await listPets(it.service, it.secret)).status).toBe(429);
    const { ban } = await advance(it.service, it.secret, 1);

    expect(ban).toBeNull();
    expect((await listPets(it.service, it.secret)).status).toBe(200);
    expect(await it.service.stores.bans.active(it.clock.now().wall)).toEqual([]);
  });

  test('expires a key, which the sandbox goes on serving', async () => {
    await using it = await sandboxScene(ONE);
    const expiresAt = it.clock.now().wall + HOUR;
    const issued = await it.service.stores.apiKeyService.issue(
      it.account,
      { environment: 'staging', name: 'short', expiresAt },
      'test',
    );
    await advance(it.service, issued.text, 3_599);
    expect((await listPets(it.service, issued.text)).status).toBe(200);

    await advance(it.service, issued.text, 1);

    const refused = await refusalOf(await listPets(it.service, issued.text));
    expect(refused).toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect(refused.message).toContain('expired');
    await sandbox(it.service, issued.text, 'POST', '/reset');
    expect((await listPets(it.service, issued.text)).status).toBe(200);
  });

  test('ends the overlap of a rotation, before and after it', async () => {
    await using it = await sandboxScene();
    await advance(it.service, it.secret, 10 * 86_400);
    const { text } = await it.service.stores.apiKeyService.rotate(it.key, '1h', 'test');

    await advance(it.service, text, 3_599);
    expect((await listPets(it.service, it.secret)).status).toBe(200);
    await advance(it.service, text, 1);

    expect((await listPets(it.service, it.secret)).status).toBe(401);
    expect((await listPets(it.service, text)).status).toBe(200);
  });

  test('leaves a key that is made afterwards its whole life', async () => {
    await using it = await sandboxScene();
    await advance(it.service, it.secret, 365 * 86_400);
    const expiresAt = it.clock.now().wall + HOUR;
    const wish = { environment: 'staging', name: 'new', expiresAt } as const;
    const { text } = await it.service.stores.apiKeyService.issue(it.account, wish, 'test');

    expect((await listPets(it.service, text)).status).toBe(200);
    await advance(it.service, it.secret, 3_600);
    expect((await listPets(it.service, text)).status).toBe(401);
  });

  test('ages an Idempotency-Key', async () => {
    await using it = await sandboxScene();
    const first = await create(it, 'once');
    await advance(it.service, it.secret, 86_399);
    const replayed = await create(it, 'once');
    await advance(it.service, it.secret, 1);
    const anew = await create(it, 'once');

    expect(replayed.headers.get('Idempotent-Replayed')).toBe('true');
    expect(await replayed.json()).toEqual(await first.json());
    expect(anew.headers.has('Idempotent-Replayed')).toBeFalse();
  });

  test('removes getPet on 5 December 2030', async () => {
    await using it = await sandboxScene();
    await create(it, 'rex');
    const get = () => it.service.request('/pets/1', { key: it.secret, environment: 'staging' });
    await advance(it.service, it.secret, secondsUntil(REMOVAL, it) - 1);
    expect((await get()).status).toBe(200);

    await advance(it.service, it.secret, 1);

    expect(await refusalOf(await get())).toMatchObject({ code: 'operation_removed', status: 410 });
  });

  test('dates messages', async () => {
    await using it = await sandboxScene(undefined, { parts: WITH_QUICKSTART });
    await advance(it.service, it.secret, secondsUntil(REMOVAL, it));

    const sent = await fetch(`${it.service.url('quickstart')}/messages`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${it.secret}`, 'Content-Type': 'application/json' },
      body: '{"message":"Hello from 2030"}',
    });

    expect(await sent.json()).toMatchObject({ createdAt: '2030-12-05T00:00:00.000Z' });
    expect(readLimits(sent).reset).toBeGreaterThan(REMOVAL / SECOND);
  });

  test('is not the clock of production, of other accounts, nor of the sandbox itself', async () => {
    await using it = await sandboxScene(ONE);
    const { secret: other } = await it.service.account(ONE, 'staging');
    const { text: live } = await it.service.stores.apiKeyService.issue(
      it.account,
      { environment: 'production', name: 'live' },
      'test',
    );
    const now = it.clock.now().wall / SECOND;
    await listPets(it.service, other);
    await advance(it.service, it.secret, 3_600);

    expect((await listPets(it.service, other)).status).toBe(429);
    const production = await listPets(it.service, live, 'production');
    expect(readLimits(production)).toMatchObject({ status: 200, reset: now + 60 });
    expect((await listPets(it.service, live, 'production')).status).toBe(429);
    expect(await sandbox(it.service, other)).toMatchObject({ clock: { offsetSeconds: 0 } });
    expect(readLimits(await callSandbox(it.service, it.secret)).reset).toBe(now + 60);
  });

  test('survives a restart, with the windows and the ban of its time', async () => {
    await using it = await sandboxScene(ONE, { settings: { PETSTORE_BAN_AFTER: '1' } });
    await advance(it.service, it.secret, 4 * 365 * 86_400);
    await listPets(it.service, it.secret);
    await listPets(it.service, it.secret);
    it.clock.advance(2 * SECOND);
    expect((await listPets(it.service, it.secret)).headers.get('Retry-After')).toBe('300');
    const before = await sandbox(it.service, it.secret);

    await using again = await it.restart();

    expect(await sandbox(again, it.secret)).toEqual(before);
    expect((await listPets(again, it.secret)).headers.get('Retry-After')).toBe('300');
    await advance(again, it.secret, 300);
    expect((await listPets(again, it.secret)).status).toBe(200);
  });

  test('goes ten years ahead at most', async () => {
    await using it = await sandboxScene();
    const tenYears = 3_652 * 86_400;
    const refused = async (advanceSeconds: unknown) =>
      refusalOf(await callSandbox(it.service, it.secret, 'PATCH', '/clock', { advanceSeconds }));
    for (const bad of [0, -1, 1.5, '60', tenYears + 1, undefined]) {
      expect(await refused(bad)).toMatchObject({ status: 400, code: 'invalid_body' });
    }
    await advance(it.service, it.secret, tenYears - 10);

    expect((await refused(11)).message).toContain('must be at most 10');
    expect(await advance(it.service, it.secret, 10)).toMatchObject({
      clock: { offsetSeconds: tenYears },
    });
  });
});

describe('a reset', () => {
  test('puts the clock back, and nothing of the future survives it', async () => {
    await using it = await sandboxScene(ONE, { settings: { PETSTORE_BAN_AFTER: '1' } });
    await advance(it.service, it.secret, 4 * 365 * 86_400);
    await create(it, 'once');
    await listPets(it.service, it.secret);
    it.clock.advance(2 * SECOND);
    expect(await refusalOf(await listPets(it.service, it.secret))).toMatchObject({
      code: 'api_key_banned',
    });

    const after = await sandbox(it.service, it.secret, 'POST', '/reset');

    expect(after).toMatchObject({
      clock: { offsetSeconds: 0, now: '2027-01-02T12:00:02.000Z' },
      usage: { minute: { used: 0 }, day: { used: 0 } },
      ban: null,
    });
    const created = await create(it, 'once');
    expect(created.status).toBe(201);
    expect(created.headers.has('Idempotent-Replayed')).toBeFalse();
    const limited = readLimits(await listPets(it.service, it.secret));
    expect(limited).toMatchObject({ status: 429, retryAfter: 60 });
    it.clock.advance(MINUTE);
    expect((await listPets(it.service, it.secret)).status).toBe(200);
  });

  test('that fails can be repeated, and forgets the idempotent requests of the future then', async () => {
    await using it = await sandboxScene();
    await advance(it.service, it.secret, 4 * 365 * 86_400);
    await create(it, 'once');
    const { pets } = it.service.stores.environment('staging');
    using _ = spyOn(pets, 'forgetRequests').mockRejectedValueOnce(
      new StorageUnavailable(new Error('full')),
    );

    const failed = await callSandbox(it.service, it.secret, 'POST', '/reset');
    expect(await refusalOf(failed)).toMatchObject({ code: 'unavailable' });
    await sandbox(it.service, it.secret, 'POST', '/reset');

    expect((await create(it, 'once')).headers.has('Idempotent-Replayed')).toBeFalse();
  });

  test('is on record, as every change is', async () => {
    await using it = await sandboxScene();
    await advance(it.service, it.secret, 60);
    await sandbox(it.service, it.secret, 'PUT', '/usage', { minuteRemaining: 1 });
    await sandbox(it.service, it.secret, 'PUT', '/ban', { seconds: 30 });
    await sandbox(it.service, it.secret, 'DELETE', '/ban');
    await sandbox(it.service, it.secret, 'POST', '/reset');

    const entries = await it.service.stores.audit.list(5);

    expect(entries.map(({ action }) => action)).toEqual([
      'sandbox.reset',
      'sandbox.ban_lifted',
      'sandbox.key_banned',
      'sandbox.usage_set',
      'sandbox.clock_advanced',
    ]);
    for (const { by, accountId, at } of entries) {
      expect([by, accountId]).toEqual([`API key ${it.key.id}`, it.account.id]);
      expect(at).toBe(it.clock.now().wall);
    }
    expect(entries[0]?.detail).toBe('the clock was 60 s ahead');
  });
});

test('a clock a day ahead is put back to an unused day', async () => {
  await using it = await sandboxScene(subscribe('enterprise', { perMinute: 9, perDay: 2 }));
  await advance(it.service, it.secret, DAY / SECOND);
  for (let sent = 0; sent < 3; sent += 1) await listPets(it.service, it.secret);

  await sandbox(it.service, it.secret, 'POST', '/reset');

  const { day } = readLimits(await listPets(it.service, it.secret));
  expect(day).toMatchObject({ remaining: 1, resetsIn: 12 * 3_600 });
});
