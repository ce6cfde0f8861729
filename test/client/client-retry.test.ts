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

  test('never before Retry-After as a date', async () => {
    const date = new Date(START.getTime() + 20_000).toUTCString();
    using service = new ScriptedService(limited(date), reply(200, []));
    const { client, waits } = connect(service, { random: () => 0 });

    await client.listPets();

    expect(waits).toEqual([20_000]);
  });

  test('a Retry-After in the past or without meaning causes no wait', async () => {
    const past = new Date(START.getTime() - 20_000).toUTCString();
    using service = new ScriptedService(limited(past), limited('soon'), reply(200, []));
    const { client, waits } = connect(service, { random: () => 0 });

    await client.listPets();

    expect(waits).toEqual([0, 0]);
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
