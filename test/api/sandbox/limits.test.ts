import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../../src/core/limits/plans.ts';
import { SECOND } from '../../../src/lib/clock.ts';
import { readLimits } from '../../support/limit-readings.ts';
import { refusalOf } from '../../support/problem.ts';
import { callSandbox, listPets, sandbox, sandboxScene } from '../../support/sandbox-scene.ts';

const FREE = subscribe('free');

describe('usage', () => {
  test('leaves exactly so many requests in the minute and on the day', async () => {
    await using it = await sandboxScene(FREE);

    const { usage } = await sandbox(it.service, it.secret, 'PUT', '/usage', {
      minuteRemaining: 2,
      dayRemaining: 5,
    });
    const statuses = [];
    for (let sent = 0; sent < 3; sent += 1) {
      statuses.push((await listPets(it.service, it.secret)).status);
    }

    expect(usage).toMatchObject({ minute: { used: 58 }, day: { used: 995 } });
    expect(statuses).toEqual([200, 200, 429]);
    it.clock.advance(60 * SECOND);
    expect(readLimits(await listPets(it.service, it.secret)).day.remaining).toBe(2);
  });

  test('of one window leaves the other as it is, and can be given back', async () => {
    await using it = await sandboxScene(FREE);
    await listPets(it.service, it.secret);
    const set = (body: object) => sandbox(it.service, it.secret, 'PUT', '/usage', body);

    expect(await set({ dayRemaining: 0 })).toMatchObject({
      usage: { minute: { used: 1 }, day: { used: 1_000 } },
    });
    expect((await listPets(it.service, it.secret)).status).toBe(429);
    expect(await set({ dayRemaining: 1_000, minuteRemaining: 60 })).toMatchObject({
      usage: { minute: { used: 0 }, day: { used: 0 } },
    });
    expect((await listPets(it.service, it.secret)).status).toBe(200);
  });

  test('is refused where it makes no sense', async () => {
    await using it = await sandboxScene(FREE);
    const refused = async (body: object) =>
      refusalOf(await callSandbox(it.service, it.secret, 'PUT', '/usage', body));
    for (const body of [{}, { minuteRemaining: -1 }, { minuteRemaining: 1.5 }]) {
      expect(await refused(body)).toMatchObject({ status: 400, code: 'invalid_body' });
    }
    expect((await refused({ minuteRemaining: 61 })).message).toBe(
      '"minuteRemaining" must be at most 60, the limit of the plan.',
    );
    expect((await refused({ dayRemaining: 1_001 })).message).toContain('"dayRemaining"');
  });

  test('is that of the account: other accounts, and production, have theirs', async () => {
    await using it = await sandboxScene(FREE);
    const { secret: other } = await it.service.account(FREE, 'staging');
    const wish = { environment: 'production', name: 'live' } as const;
    const { text: live } = await it.service.stores.apiKeyService.issue(it.account, wish, 'test');
    await sandbox(it.service, it.secret, 'PUT', '/usage', { minuteRemaining: 0 });

    expect((await listPets(it.service, it.secret)).status).toBe(429);
    expect((await listPets(it.service, other)).status).toBe(200);
    expect((await listPets(it.service, live, 'production')).status).toBe(200);
  });
});

describe('a ban', () => {
  test('is set and ended, and the sandbox serves the banned key', async () => {
    await using it = await sandboxScene(FREE);

    const { ban } = await sandbox(it.service, it.secret, 'PUT', '/ban', { seconds: 30 });
    const banned = await listPets(it.service, it.secret);

    expect(ban).toEqual({
      reason: 'Set in the sandbox.',
      startsAt: '2027-01-02T12:00:00.000Z',
      endsAt: '2027-01-02T12:00:30.000Z',
    });
    expect(banned.headers.get('Retry-After')).toBe('30');
    expect(await refusalOf(banned)).toMatchObject({ code: 'api_key_banned' });
    expect(await sandbox(it.service, it.secret, 'DELETE', '/ban')).toMatchObject({ ban: null });
    expect((await listPets(it.service, it.secret)).status).toBe(200);
  });

  test('takes the place of another one, longer or shorter', async () => {
    await using it = await sandboxScene(FREE);
    const waits = [];
    for (const seconds of [30, 300, 5]) {
      await sandbox(it.service, it.secret, 'PUT', '/ban', { seconds });
      waits.push((await listPets(it.service, it.secret)).headers.get('Retry-After'));
    }
    expect(waits).toEqual(['30', '300', '5']);
    it.clock.advance(5 * SECOND);
    expect((await listPets(it.service, it.secret)).status).toBe(200);
  });

  test('is that of the key: other keys of the account are served', async () => {
    await using it = await sandboxScene(FREE);
    const wish = { environment: 'staging', name: 'other' } as const;
    const { text: other } = await it.service.stores.apiKeyService.issue(it.account, wish, 'test');
    await sandbox(it.service, it.secret, 'PUT', '/ban', { seconds: 30 });

    expect((await listPets(it.service, it.secret)).status).toBe(429);
    expect((await listPets(it.service, other)).status).toBe(200);
    expect(await sandbox(it.service, other)).toMatchObject({ ban: null });
  });

  test('that refusals have led to is ended at once, with the refusals', async () => {
    const settings = { PETSTORE_BAN_AFTER: '2' };
    await using it = await sandboxScene(subscribe('enterprise', { perMinute: 1, perDay: 99 }), {
      settings,
    });
    const refuse = async (times: number) => {
      for (let sent = 0; sent < times; sent += 1) await listPets(it.service, it.secret);
      return (await refusalOf(await listPets(it.service, it.secret))).code;
    };
    await refuse(1);
    it.clock.advance(2 * SECOND);
    expect(await refuse(1)).toBe('api_key_banned');

    expect(await sandbox(it.service, it.secret, 'DELETE', '/ban')).toMatchObject({ ban: null });
    expect(await refuse(0)).toBe('rate_limited');
    it.clock.advance(2 * SECOND);
    expect(await refuse(0)).toBe('rate_limited');
    await sandbox(it.service, it.secret, 'DELETE', '/ban');
    await it.service.runJobs();
    expect(await sandbox(it.service, it.secret)).toMatchObject({ ban: null });
    await using again = await it.restart();
    expect(await sandbox(again, it.secret)).toMatchObject({ ban: null });
  });

  test('lasts a second to a day', async () => {
    await using it = await sandboxScene(FREE);
    for (const seconds of [0, -1, 86_401, '30', undefined]) {
      const refused = await callSandbox(it.service, it.secret, 'PUT', '/ban', { seconds });
      expect(await refusalOf(refused)).toMatchObject({ status: 400, code: 'invalid_body' });
    }
  });

  test('survives a restart', async () => {
    await using it = await sandboxScene(FREE);
    await sandbox(it.service, it.secret, 'PUT', '/ban', { seconds: 30 });

    await using again = await it.restart();

    expect((await listPets(again, it.secret)).headers.get('Retry-After')).toBe('30');
  });
});
