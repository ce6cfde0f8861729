import { describe, expect, spyOn, test } from 'bun:test';
import { ERRORS, type ErrorCode, hasRetryAfter } from '../../../src/core/errors.ts';
import { subscribe } from '../../../src/core/limits/plans.ts';
import { SIMULATIONS } from '../../../src/core/sandbox/simulations.ts';
import { eventually } from '../../support/harness.ts';
import { readLimits } from '../../support/limit-readings.ts';
import { listPets } from '../../support/sandbox-scene.ts';
import {
  bodyCutShort,
  bytesOf,
  createPet,
  listSimulated,
  petsIn,
  simulationScene,
} from './simulation-scene.ts';

const CODES = Object.keys(ERRORS).filter((code): code is ErrorCode => code in ERRORS);

describe('a request in staging with Petstore-Simulate', () => {
  test('gets every error of the contract by its code, and does nothing', async () => {
    await using it = await simulationScene();
    for (const code of CODES) {
      const reply = await createPet(it, { 'Petstore-Simulate': code });
      const { status } = ERRORS[code];
      expect([code, reply.status]).toEqual([code, status]);
      expect(reply.headers.get('Petstore-Simulated')).toBe(code);
      expect(reply.headers.get('Content-Type')).toBe('application/json');
      const body = await reply.json();
      expect(body).toEqual({ code, message: expect.any(String), status });
      expect(body.message).not.toMatch(/[{}]/);
      expect(readLimits(reply).limit).toBeGreaterThan(0);
      expect(reply.headers.has('Retry-After')).toBe(hasRetryAfter(code));
      expect(reply.headers.has('WWW-Authenticate')).toBe(status === 401);
      expect(reply.headers.has('Allow')).toBe(status === 405);
    }
    expect(await petsIn(it)).toBe(0);
  });

  test('reads the wait of a 429 and a 503, and takes nothing from the quota for a 429', async () => {
    await using it = await simulationScene();
    const { secret } = await it.service.account(subscribe('free'), 'staging');
    const free = { ...it, secret };

    const limited = readLimits(await listSimulated(free, 'rate_limited;retry-after=7'));
    const banned = readLimits(await listSimulated(free, 'api_key_banned;retry-after=300'));
    const tomorrow = readLimits(await listSimulated(free, 'rate_limited;retry-after=7200'));
    const unavailable = readLimits(await listSimulated(free, 'unavailable;retry-after=2'));
    const after = readLimits(await listSimulated(free, 'delay;ms=1'));

    expect(limited).toMatchObject({ status: 429, limit: 60, remaining: 0, retryAfter: 7 });
    expect(banned).toMatchObject({ status: 429, remaining: 0, retryAfter: 300 });
    expect(tomorrow).toMatchObject({ status: 429, limit: 1_000, remaining: 0, retryAfter: 7_200 });
    expect(unavailable).toMatchObject({ status: 503, remaining: 59, retryAfter: 2 });
    expect(after).toMatchObject({ status: 200, remaining: 58 });
  });

  test('takes a wait for exactly the codes whose replies have Retry-After', async () => {
    await using it = await simulationScene();
    for (const code of CODES) {
      const reply = await listSimulated(it, `${code};retry-after=7`);
      const expected = hasRetryAfter(code) ? [ERRORS[code].status, '7'] : [400, null];
      expect([code, reply.status, reply.headers.get('Retry-After')]).toEqual([code, ...expected]);
    }
  });

  test('succeeds when it is sent again after the wait of a 429', async () => {
    await using it = await simulationScene();
    const key = await it.service.stores.apiKeyService.issue(
      (await it.service.account(subscribe('free'), 'staging')).account,
      { environment: 'staging', name: 'two', simulate: 'rate_limited;retry-after=1;times=1' },
      'test',
    );
    const retrying = it.service.client(key.text, {
      baseUrl: it.service.url('staging'),
      maxRetries: 1,
    });
    expect(await retrying.listPets()).toMatchObject({ pets: [] });
  });

  test('gets the list of simulations when it names none', async () => {
    await using it = await simulationScene();
    for (const simulate of [
      'nothing',
      '"drop"',
      'drop;ms=1',
      'delay;ms=-1',
      'delay;ms=20001',
      'delay;ms=abc',
      'flaky;rate=2',
      'unavailable;times=2',
      'drop, drop',
      ';',
    ]) {
      const reply = await listSimulated(it, simulate);
      const body = await reply.json();
      expect([simulate, reply.status, body.code]).toEqual([simulate, 400, 'invalid_parameter']);
      expect(reply.headers.has('Petstore-Simulated')).toBe(false);
      for (const name of SIMULATIONS.keys()) expect(body.message).toContain(name);
    }
  });

  test('gets what is wrong with its syntax', async () => {
    await using it = await simulationScene();
    const messageFor = async (simulate: string) =>
      (await (await listSimulated(it, simulate)).json()).message;
    expect(await messageFor('flaky;rate=0.3333')).toContain('digits after the decimal point');
    expect(await messageFor('drop, drop')).toContain('Unexpected characters');
  });

  test('meets the real limits first', async () => {
    await using it = await simulationScene();
    const limits = subscribe('enterprise', { perMinute: 2, perDay: 100 });
    const { secret } = await it.service.account(limits, 'staging');
    const few = { ...it, secret };
    for (let sent = 0; sent < 2; sent += 1) await listSimulated(few, 'unavailable');
    const refused = await listSimulated(few, 'unavailable');
    expect(refused.status).toBe(429);
    expect(refused.headers.has('Petstore-Simulated')).toBe(false);
  });

  test.each([
    ['invalid_api_key;times=4', 401],
    ['flaky;rate=1', 503],
    ['flaky;rate=0', 200],
  ])(
    'gets its real 429 where concurrent ones that meet %s leave no quota',
    async (simulate, status) => {
      await using it = await simulationScene();
      const { apiKeyService, simulations } = it.service.stores;
      const limits = subscribe('enterprise', { perMinute: 1, perDay: 100 });
      const { account } = await it.service.account(limits, 'staging');
      const wish = { environment: 'staging', name: 'four', simulate } as const;
      const { text: secret } = await apiKeyService.issue(account, wish, 'test');
      const allMet = Promise.withResolvers<void>();
      let met = 0;
      // All requests meet the simulation before one of them is taken from the quota.
      spyOn(simulations, 'count').mockImplementation(async () => {
        met += 1;
        if (met === 4) allMet.resolve();
        await allMet.promise;
        return met;
      });

      const replies = await Promise.all([1, 2, 3, 4].map(() => listPets(it.service, secret)));

      const refused = replies.filter((reply) => reply.status === 429);
      expect(refused).toHaveLength(3);
      for (const reply of refused) {
        expect(readLimits(reply)).toMatchObject({ limit: 1, remaining: 0 });
        expect(reply.headers.has('Petstore-Simulated')).toBe(false);
      }
      expect(replies.map((reply) => reply.status)).toContain(status);
    },
  );
});

describe('the reply', () => {
  test('to drop never begins, and nothing is done', async () => {
    await using it = await simulationScene();
    expect(await bytesOf(it, 'drop')).toBe('');
    const body = '{"name":"Biscuit","categoryId":1}';
    expect(await bytesOf(it, 'drop', { method: 'POST', body })).toBe('');
    expect(await bytesOf(it, 'drop', { method: 'HEAD' })).toBe('');
    expect(await petsIn(it)).toBe(0);
  });

  test('to drop_after never begins, and the same Idempotency-Key makes no second animal', async () => {
    await using it = await simulationScene();
    const body = '{"name":"Biscuit","categoryId":1}';
    expect(await bytesOf(it, 'drop_after', { method: 'POST', body })).toBe('');
    expect(await petsIn(it)).toBe(1);
    const headers = { 'Idempotency-Key': 'once' };
    expect(createPet(it, { ...headers, 'Petstore-Simulate': 'drop_after' })).rejects.toThrow();
    const again = await createPet(it, headers);
    expect(again.status).toBe(201);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(await petsIn(it)).toBe(2);
  });

  test('to truncate ends after half of the body', async () => {
    await using it = await simulationScene();
    await createPet(it);
    const whole = await (await listSimulated(it, 'delay;ms=1')).text();
    const text = await bytesOf(it, 'truncate');
    expect(text).toStartWith('HTTP/1.1 200 ');
    expect(text.toLowerCase()).toContain('petstore-simulated: truncate');
    expect(bodyCutShort(text)).toBe(whole.slice(0, Math.floor(whole.length / 2)));
  });

  test('to trickle arrives whole, in small pieces', async () => {
    await using it = await simulationScene();
    await createPet(it);
    const whole = await (await listSimulated(it, 'delay;ms=1')).text();
    const startedAt = performance.now();
    const reply = await listSimulated(it, 'trickle;bytes-per-second=200');
    const pieces = await Array.fromAsync(reply.body ?? []);
    expect(Buffer.concat(pieces).toString()).toBe(whole);
    expect(pieces.length).toBeGreaterThan(1);
    expect(performance.now() - startedAt).toBeGreaterThan(100);
  });

  test('to delay comes later, even when that is longer than connections may be idle', async () => {
    await using it = await simulationScene();
    const startedAt = performance.now();
    const reply = await listSimulated(it, 'delay;ms=15000');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('Petstore-Simulated')).toBe('delay');
    expect(performance.now() - startedAt).toBeGreaterThan(14_500);
  });

  test('to malformed is no JSON, and says that it is', async () => {
    await using it = await simulationScene();
    const reply = await createPet(it, { 'Petstore-Simulate': 'malformed' });
    expect([reply.status, reply.headers.get('Content-Type')]).toEqual([201, 'application/json']);
    const text = await reply.text();
    expect(() => JSON.parse(text)).toThrow();
    expect(await petsIn(it)).toBe(1);
  });

  test('to unknown_field has more fields in every object, and every digit of the others', async () => {
    await using it = await simulationScene();
    await it.service.stores
      .environment('staging')
      .pets.create({ name: '{"brace":', categoryId: 1, status: 'sold' }, { wall: 0, elapsed: 0 });
    await createPet(it);
    const reply = await listSimulated(it, 'unknown_field');
    const text = await reply.text();
    const real = await listPets(it.service, it.secret);
    expect(reply.headers.get('ETag')).toStartWith('W/"');
    expect(reply.headers.get('ETag')).not.toBe(real.headers.get('ETag'));
    expect(text).toContain('"categoryId":9223372036854775807');
    expect(JSON.parse(text)).toEqual([
      expect.objectContaining({ name: '{"brace":', simulatedUnknownField: expect.anything() }),
      expect.objectContaining({ name: 'Biscuit', simulatedUnknownField: expect.anything() }),
    ]);
  });

  test('to unknown_field about one animal has the tag with which it can be changed', async () => {
    await using it = await simulationScene();
    const simulated = { 'Petstore-Simulate': 'unknown_field' };
    const created = await createPet(it, simulated);
    const tag = created.headers.get('ETag') ?? '';
    const { id, ...body } = await created.json();
    expect(Object.keys(body)).toContain('simulatedUnknownField');
    const send = (method: string, ifMatch: string, patch: object) =>
      it.service.request(`/pets/${id}`, {
        ...{ environment: 'staging', key: it.secret, method, body: JSON.stringify(patch) },
        headers: { ...simulated, 'Content-Type': 'application/json', 'If-Match': ifMatch },
      });
    const changed = await send('PATCH', tag, { name: 'Tom' });
    expect(await changed.json()).toMatchObject({ name: 'Tom', simulatedUnknownField: {} });
    expect((await send('PATCH', tag, { name: 'Kim' })).status).toBe(412);
    expect((await send('DELETE', changed.headers.get('ETag') ?? '', {})).status).toBe(204);
  });

  test('to a client that has left is recorded with its address', async () => {
    await using it = await simulationScene();
    const signal = AbortSignal.timeout(300);
    await listSimulated(it, 'delay;ms=20000', { signal }).catch(() => {});
    const [account] = await it.service.stores.accounts.list();
    const logged = () => it.service.stores.requestLog.page(account?.id ?? '', {}, 1);
    await eventually(async () => (await logged()).length === 1);
    expect(await logged()).toMatchObject([{ address: '127.0.0.1' }]);
  });

  test('to unknown_code is an error with a code that is not in the contract', async () => {
    await using it = await simulationScene();
    const reply = await createPet(it, { 'Petstore-Simulate': 'unknown_code' });
    const body = await reply.json();
    expect(body).toEqual({ code: body.code, message: expect.any(String), status: reply.status });
    expect(CODES).not.toContain(body.code);
    expect(await petsIn(it)).toBe(0);
  });

  test('to flaky fails for some requests, which the seed alone decides', async () => {
    await using it = await simulationScene();
    const series = async (simulate: string) => {
      const { secret } = await it.service.account(undefined, 'staging');
      const statuses: number[] = [];
      for (let sent = 0; sent < 20; sent += 1) {
        const reply = await listSimulated({ ...it, secret }, simulate);
        expect(reply.headers.get('Petstore-Simulated')).toBe('flaky');
        statuses.push(reply.status);
      }
      return statuses;
    };
    const first = await series('flaky;rate=0.3;seed=7');
    expect(new Set(first)).toEqual(new Set([200, 503]));
    expect(await series('flaky;rate=0.3;seed=7')).toEqual(first);
    expect(await series('flaky;rate=0.3;seed=8')).not.toEqual(first);
    expect(new Set(await series('flaky;rate=0'))).toEqual(new Set([200]));
    expect(new Set(await series('flaky;rate=1'))).toEqual(new Set([503]));
  });
});
