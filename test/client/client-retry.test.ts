import { describe, expect, test } from 'bun:test';
import { ApiError, isApiError, NetworkError, RetryLaterError } from '../../client/src/index.ts';
import {
  crash,
  failure,
  reply,
  ScriptedService,
  type Step,
  silence,
} from '../../client/testing/scripted-service.ts';
import { connect, rejection, START } from '../../client/testing/test-client.ts';

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };
const newRex = { name: 'Rex', categoryId: 7 };

function limited(retryAfter: string): Step {
  return failure(429, 'rate_limited', { 'Retry-After': retryAfter });
}

describe('what is retried', () => {
  test.each([
    ['429', failure(429, 'rate_limited')],
    ['503', failure(503, 'unavailable')],
    ['a gateway that lost the service', reply(502, '<html>Bad gateway</html>')],
    ['a gateway that gave up on the service', reply(504, '')],
    ['a broken connection', crash],
  ])('reads and creations are retried after %s', async (_, fault) => {
    using service = new ScriptedService(fault, reply(200, []), fault, reply(201, rex));
    const { client, waits } = connect(service);

    expect((await client.listPets()).pets).toEqual([]);
    expect((await client.createPet(newRex)).name).toBe('Rex');
    expect(waits).toHaveLength(2);
  });

  test('reads and creations are retried after a timeout', async () => {
    // On a slow machine the second reply may be late, too; then a later one arrives in time.
    const options = { timeoutMs: 250, maxRetries: 9 };
    const ninefold = (step: Step) => Array.from({ length: 9 }, () => step);
    using lists = new ScriptedService(silence, ...ninefold(reply(200, [])));
    using creations = new ScriptedService(silence, ...ninefold(reply(201, rex)));

    expect((await connect(lists, options).client.listPets()).pets).toEqual([]);
    expect((await connect(creations, options).client.createPet(newRex)).name).toBe('Rex');
  });

  test.each([
    [400, 'invalid_body'],
    [401, 'invalid_api_key'],
    [404, 'pet_not_found'],
    [410, 'operation_removed'],
    [422, 'idempotency_mismatch'],
    [500, 'internal_error'],
  ])('%d %s is not retried', async (status, code) => {
    using service = new ScriptedService(failure(status, code));
    const { client, waits } = connect(service);

    expect(isApiError(await rejection(client.createPet(newRex)), code)).toBe(true);
    expect(service.received).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  test('retries are bounded, and the last failure is what the caller gets', async () => {
    const unavailable = failure(503, 'unavailable');
    using service = new ScriptedService(limited('1'), unavailable, unavailable, unavailable);
    const { client } = connect(service, { maxRetries: 2 });

    expect(isApiError(await rejection(client.listPets()), 'unavailable')).toBe(true);
    expect(service.received).toHaveLength(3);
  });

  test('no retry is made when maxRetries is 0', async () => {
    using service = new ScriptedService(crash);
    const { client } = connect(service, { maxRetries: 0 });

    expect(await rejection(client.listPets())).toBeInstanceOf(NetworkError);
    expect(service.received).toHaveLength(1);
  });

  test('a service that is not there is a network error once the retries are used up', async () => {
    const service = new ScriptedService();
    service[Symbol.dispose]();
    const { client, waits } = connect(service, { maxRetries: 3 });

    expect(await rejection(client.listPets())).toBeInstanceOf(NetworkError);
    expect(waits).toHaveLength(3);
  });
});

describe('how long a retry waits', () => {
  test('without Retry-After, at most an exponentially growing bound, up to a cap', async () => {
    const faults = Array.from({ length: 8 }, () => failure(503, 'unavailable'));
    using service = new ScriptedService(...faults);
    const { client, waits } = connect(service, { maxRetries: 7, random: () => 1 - 2 ** -53 });

    await rejection(client.listPets());

    const bounds = [500, 1000, 2000, 4000, 8000, 10_000, 10_000];
    expect(waits).toHaveLength(bounds.length);
    for (const [index, bound] of bounds.entries()) {
      expect(waits[index]).toBeWithin(bound - 1, bound + 1);
    }
  });

  test('the jitter is full: it starts at no wait at all', async () => {
    using service = new ScriptedService(failure(503, 'unavailable'), reply(200, []));
    const { client, waits } = connect(service, { random: () => 0 });

    await client.listPets();

    expect(waits).toEqual([0]);
  });

  test('never less than Retry-After in seconds, whatever the jitter', async () => {
    for (const random of [0, 0.25, 0.999]) {
      using service = new ScriptedService(limited('7'), limited('3'), reply(200, []));
      const { client, waits } = connect(service, { random: () => random });

      await client.listPets();

      expect(waits[0]).toBeWithin(7000, 7501);
      expect(waits[1]).toBeWithin(3000, 4001);
    }
  });

  // The client's clock starts at noon of Friday, 20 November 2026.
  test.each([
    ['Fri, 20 Nov 2026 12:00:20 GMT', 20_000],
    ['Friday, 20-Nov-26 12:00:20 GMT', 20_000],
    ['Fri Nov 20 12:00:20 2026', 20_000],
    ['Tue Dec  1 12:00:00 2026', 11 * 86_400_000],
    ['Fri, 20 Nov 2026 12:00:60 GMT', 59_000],
    ['007', 7_000],
    ['1.5', 1_500],
    ['7, 7', 7_000],
    ['7, 30', 30_000],
    ['30,7', 30_000],
    ['soon, 7', 7_000],
    ['-5, 7', 7_000],
    ['7, Fri, 20 Nov 2026 12:00:20 GMT', 20_000],
    ['Fri, 20 Nov 2026 12:00:20 GMT, Friday, 20-Nov-26 12:00:30 GMT', 30_000],
    ['Fri Nov 20 12:00:20 2026, 7', 20_000],
  ])('never before Retry-After: %s', async (retryAfter, wait) => {
    using service = new ScriptedService(limited(retryAfter), reply(200, []));
    const { client, waits } = connect(service, { random: () => 0, maxRetryWaitMs: 2 ** 31 - 1 });

    await client.listPets();

    expect(waits).toEqual([wait]);
  });

  test.each([
    ['Sunday, 01-Nov-76 00:00:00 GMT', '2076-11-01T00:00:00Z'],
    ['Fri, 31 Dec 9999 23:59:59 GMT', '9999-12-31T23:59:59Z'],
    ['2147483648', '2094-12-08T15:14:08Z'],
  ])('the end of a long Retry-After is told: %s', async (retryAfter, retryAt) => {
    using service = new ScriptedService(limited(retryAfter));
    const error = await rejection(connect(service).client.listPets());
    expect(error).toMatchObject({ name: 'RetryLaterError', retryAt: new Date(retryAt) });
  });

  test.each(['99999999999999999999', '9'.repeat(400), '7, 99999999999999999999'])(
    'a Retry-After beyond every bound is not shortened: %s',
    async (retryAfter) => {
      using service = new ScriptedService(limited(retryAfter));
      // The clock goes on between the reply and the error.
      let nowMs = START.getTime();
      const { client, waits } = connect(service, { now: () => nowMs++ });

      const error = await rejection(client.listPets());

      if (!(error instanceof RetryLaterError)) throw error;
      expect(error.retryAt.getTime()).toBeGreaterThan(START.getTime() + 2 ** 40);
      expect(service.received).toHaveLength(1);
      expect(waits).toEqual([]);
    },
  );

  test.each([
    'Fri, 20 Nov 2026 11:59:40 GMT',
    'Friday, 20-Nov-26 11:59:40 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Fri Nov 20 11:59:40 2026',
    'Fri, 20 Nonember 2026 12:00:20 GMT',
    'soon',
    '-5',
    '0',
    '',
    ' ',
    ',',
  ])('a Retry-After in the past or without meaning causes no wait: "%s"', async (retryAfter) => {
    using service = new ScriptedService(limited(retryAfter), reply(200, []));
    const { client, waits } = connect(service, { random: () => 0 });

    await client.listPets();

    expect(waits).toEqual([0]);
  });

  test('jitter alone never carries a wait beyond maxRetryWaitMs', async () => {
    using service = new ScriptedService(limited('5'), limited('5'), reply(200, []));
    const { client, waits } = connect(service, { maxRetryWaitMs: 5000, random: () => 0.9 });

    await client.listPets();

    expect(waits).toEqual([5000, 5000]);
  });
});

describe('a wait that is too long', () => {
  test('ends the call at once and tells when to come back', async () => {
    using service = new ScriptedService(limited('61'));
    const { client, waits } = connect(service);

    const error = await rejection(client.listPets());

    if (!(error instanceof RetryLaterError)) throw error;
    expect(error).toBeInstanceOf(ApiError);
    expect(error.code).toBe('rate_limited');
    expect(error.retryAfterMs).toBe(61_000);
    expect(error.retryAt).toEqual(new Date(START.getTime() + 61_000));
    expect(error.cause).toBeInstanceOf(ApiError);
    expect(error.cause).not.toBeInstanceOf(RetryLaterError);
    expect(service.received).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  test('tells so for a ban, and sits out a ban that is short enough', async () => {
    const ban = failure(429, 'api_key_banned', { 'Retry-After': '300' });
    using service = new ScriptedService(ban, ban, reply(200, []));

    const impatient = connect(service);
    const error = await rejection(impatient.client.listPets());
    expect(error).toBeInstanceOf(RetryLaterError);
    expect(isApiError(error, 'api_key_banned')).toBe(true);

    const patient = connect(service, { maxRetryWaitMs: 300_000, random: () => 0 });
    expect((await patient.client.listPets()).pets).toEqual([]);
    expect(patient.waits).toEqual([300_000]);
  });

  test('tells so even when no retry is left', async () => {
    using service = new ScriptedService(limited('61'));
    const { client } = connect(service, { maxRetries: 0 });

    expect(await rejection(client.listPets())).toBeInstanceOf(RetryLaterError);
  });

  test('tells so for a date, too', async () => {
    const retryAt = new Date(START.getTime() + 3_600_000);
    using service = new ScriptedService(limited(retryAt.toUTCString()));
    const { client } = connect(service);

    expect(await rejection(client.listPets())).toHaveProperty('retryAt', retryAt);
  });
});
