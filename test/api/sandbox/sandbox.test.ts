import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../../src/core/limits/plans.ts';
import { TestService } from '../../support/harness.ts';
import { readLimits } from '../../support/limit-readings.ts';
import { refusalOf } from '../../support/problem.ts';
import { callSandbox, listPets, sandbox, sandboxScene } from '../../support/sandbox-scene.ts';

const FREE = subscribe('free');

describe('the sandbox of an account that has set nothing', () => {
  test('shows real time, and what was used in staging', async () => {
    await using it = await sandboxScene(FREE);
    await listPets(it.service, it.secret);
    it.clock.advance(10_000);
    await listPets(it.service, it.secret);

    expect(await sandbox(it.service, it.secret)).toEqual({
      clock: { offsetSeconds: 0, now: '2027-01-02T12:00:10.000Z' },
      usage: {
        minute: { limit: 60, used: 2, resetsAt: '2027-01-02T12:01:00.000Z' },
        day: { limit: 1_000, used: 2, resetsAt: '2027-01-03T00:00:00.000Z' },
      },
      ban: null,
      simulation: null,
    });
  });

  test('is served with and without a slash, and with HEAD', async () => {
    await using it = await sandboxScene(FREE);
    for (const path of ['', '/']) {
      expect((await callSandbox(it.service, it.secret, 'GET', path)).status).toBe(200);
      expect((await callSandbox(it.service, it.secret, 'HEAD', path)).status).toBe(200);
    }
  });
});

describe('requests to the sandbox', () => {
  test('do not count towards the plan, and have a limit of 600 a minute of their own', async () => {
    await using it = await sandboxScene(FREE);

    const first = readLimits(await callSandbox(it.service, it.secret));
    for (let sent = 1; sent < 600; sent += 1) await callSandbox(it.service, it.secret);
    const refused = await callSandbox(it.service, it.secret);

    expect(first).toMatchObject({ status: 200, limit: 600, remaining: 599 });
    expect(readLimits(refused)).toMatchObject({ status: 429, limit: 600, remaining: 0 });
    expect(readLimits(refused).retryAfter).toBe(60);
    expect(await refusalOf(refused)).toMatchObject({
      code: 'rate_limited',
      message: 'Too many requests in this minute. Wait for the seconds in Retry-After, then go on.',
    });
    expect(readLimits(await listPets(it.service, it.secret))).toMatchObject({ remaining: 59 });
  });

  test('are refused with a production key, with the base address that it belongs to', async () => {
    await using it = await sandboxScene(FREE);
    const { secret } = await it.service.account(FREE, 'production');

    const { status, code, message } = await refusalOf(await callSandbox(it.service, secret));

    expect([status, code]).toEqual([401, 'invalid_api_key']);
    expect(message).toContain('This API key is for production, and this is staging.');
  });

  test('get the errors of the API', async () => {
    await using it = await sandboxScene(FREE);
    const call = (method: string, path: string) => callSandbox(it.service, it.secret, method, path);

    expect(await refusalOf(await call('GET', '/nothing'))).toMatchObject({ code: 'not_found' });
    const refused = await call('DELETE', '/');
    expect(refused.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
    expect(await refusalOf(refused)).toMatchObject({ code: 'method_not_allowed' });
    const keyless = await fetch(it.service.url('sandbox'));
    expect(await refusalOf(keyless)).toMatchObject({ code: 'missing_api_key' });
  });
});

test('the sandbox is served with staging, and only with it', async () => {
  await using staging = await TestService.start({ parts: ['staging'] });
  await using production = await TestService.start({ parts: ['production'] });
  const { secret } = await staging.account(FREE, 'staging');

  expect((await callSandbox(staging, secret)).status).toBe(200);
  expect((await fetch(production.url('sandbox'))).status).toBe(404);
});
