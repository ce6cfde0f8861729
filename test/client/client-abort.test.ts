import { describe, expect, test } from 'bun:test';
import { getEventListeners } from 'node:events';
import { type Pet, PetstoreClient, TimeoutError } from '../../client/src/index.ts';
import {
  failure,
  reply,
  ScriptedService,
  type Step,
  silence,
} from '../../client/testing/scripted-service.ts';
import { connect, rejection } from '../../client/testing/test-client.ts';

const reason = new Error('The caller has changed its mind.');

/** A step that sends only the beginning of a reply. */
const half: Step = () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('['));
      },
    }),
  );

/** A step that aborts `controller` and never answers. */
function abortInstead(controller: AbortController): Step {
  return () => {
    controller.abort(reason);
    return new Promise(() => {});
  };
}

describe('timeouts', () => {
  test.each([
    ['before the reply', silence],
    ['in the middle of the reply', half],
  ])('an attempt that stalls %s fails with a TimeoutError', async (_, step) => {
    using service = new ScriptedService(step);
    const { client } = connect(service, { timeoutMs: 50, maxRetries: 0 });

    const error = await rejection(client.listPets());

    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toHaveProperty('timeoutMs', 50);
  });

  test('a fetch that ignores its signal cannot delay a timeout or an abort', async () => {
    const deaf = () => new Promise<Response>(() => {});
    const client = new PetstoreClient({ apiKey: 'x', fetch: deaf, timeoutMs: 50, maxRetries: 0 });

    expect(await rejection(client.listPets())).toBeInstanceOf(TimeoutError);

    const signal = AbortSignal.abort(reason);
    const later = new AbortController();
    const call = client.listPets({}, { signal: later.signal, timeoutMs: 60_000 });
    later.abort(reason);
    expect(await rejection(call)).toBe(reason);
    expect(await rejection(client.listPets({}, { signal }))).toBe(reason);
  });

  test('a call can set its own timeout', async () => {
    using service = new ScriptedService(silence);
    const { client } = connect(service, { maxRetries: 0 });

    const error = await rejection(client.listPets({}, { timeoutMs: 50 }));

    expect(error).toHaveProperty('timeoutMs', 50);
  });

  test('every attempt has the whole timeout for itself', async () => {
    // A timeout shared by all attempts would end before the second attempt.
    // On a slow machine the second reply may be late, too; then a later one arrives in time.
    using service = new ScriptedService(
      silence,
      ...Array.from({ length: 9 }, () => reply(200, [])),
    );
    const { client } = connect(service, { timeoutMs: 800, maxRetries: 9 });

    expect((await client.listPets()).pets).toEqual([]);
  });

  test('a timeout out of range is refused before anything is sent', async () => {
    using service = new ScriptedService();
    const { client } = connect(service);

    for (const timeoutMs of [0, -1, 1.5, Number.NaN, 2 ** 31]) {
      expect(await rejection(client.listPets({}, { timeoutMs }))).toBeInstanceOf(RangeError);
    }
    expect(service.received).toHaveLength(0);
  });
});

describe('aborting', () => {
  test('before the call sends nothing', async () => {
    using service = new ScriptedService();
    const { client } = connect(service);

    const error = await rejection(client.listPets({}, { signal: AbortSignal.abort(reason) }));

    expect(error).toBe(reason);
    expect(service.received).toHaveLength(0);
  });

  test('during a request ends the call without a retry', async () => {
    const controller = new AbortController();
    using service = new ScriptedService(abortInstead(controller));
    const { client, waits } = connect(service);

    expect(await rejection(client.listPets({}, { signal: controller.signal }))).toBe(reason);
    expect(waits).toEqual([]);
  });

  test('while the reply arrives ends the call', async () => {
    const controller = new AbortController();
    using service = new ScriptedService(half);
    const { client } = connect(service, {
      async fetch(url, init) {
        const response = await fetch(url, init);
        controller.abort(reason);
        return response;
      },
    });

    expect(await rejection(client.listPets({}, { signal: controller.signal }))).toBe(reason);
  });

  test('during a backoff wait ends it at once', async () => {
    const controller = new AbortController();
    const limited = failure(429, 'rate_limited', { 'Retry-After': '3600' });
    using service = new ScriptedService(limited, reply(200, []));
    // The jitter is computed right before the wait, so the abort happens during the wait.
    const random = () => {
      setTimeout(() => controller.abort(reason), 50);
      return 0;
    };
    const maxRetryWaitMs = 3_600_000;
    const { client } = connect(service, { sleep: undefined, random, maxRetryWaitMs });

    expect(await rejection(client.listPets({}, { signal: controller.signal }))).toBe(reason);
    expect(service.received).toHaveLength(1);
  });

  test('while onRetry has not returned ends the call without a retry', async () => {
    const controller = new AbortController();
    using service = new ScriptedService(failure(503, 'unavailable'), reply(200, []));
    const { client } = connect(service);
    const onRetry = () => {
      setTimeout(() => controller.abort(reason), 50);
      return new Promise(() => {});
    };

    const call = client.listPets({}, { signal: controller.signal, onRetry });

    expect(await rejection(call)).toBe(reason);
    expect(service.received).toHaveLength(1);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  test('ends a walk over all pages', async () => {
    const controller = new AbortController();
    const rex: Pet = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };
    const link = { Link: '</v1/pets?after=1>; rel="next"' };
    using service = new ScriptedService(reply(200, [rex], link), reply(200, []));
    const { client } = connect(service);

    const pets = client.listAllPets({}, { signal: controller.signal });
    expect((await pets.next()).value).toEqual(rex);
    controller.abort(reason);

    expect(await rejection(pets.next())).toBe(reason);
    expect(service.received).toHaveLength(1);
  });

  test("rejects with the signal's own reason when the caller's timeout signal fires", async () => {
    using service = new ScriptedService(silence);
    const { client } = connect(service);
    const signal = AbortSignal.timeout(50);

    expect(await rejection(client.listPets({}, { signal }))).toBe(signal.reason);
  });
});

describe('cleaning up', () => {
  test("no listener stays on the caller's signal after a call", async () => {
    const { signal } = new AbortController();
    using service = new ScriptedService(
      failure(503, 'unavailable'),
      reply(200, []),
      failure(404, 'not_found'),
    );
    const { client } = connect(service, { sleep: undefined, random: () => 0 });

    await client.listPets({}, { signal });
    await rejection(client.listPets({}, { signal }));

    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('no timer keeps the process alive after a call', async () => {
    using service = new ScriptedService(
      failure(503, 'unavailable'),
      reply(200, []),
      failure(503, 'unavailable', { 'Retry-After': '3600' }),
    );
    const entry = new URL('../../client/src/index.ts', import.meta.url).href;
    const program = `
      import { PetstoreClient } from ${JSON.stringify(entry)};
      const baseUrl = '${service.baseUrl}';
      const client = new PetstoreClient({ apiKey: 'key', baseUrl, maxRetryWaitMs: 3_600_000 });
      console.log((await client.listPets()).pets.length);
      const signal = AbortSignal.timeout(200);
      await client.listPets({}, { signal }).catch((error) => console.log(error === signal.reason));
    `;
    const run = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe' });

    expect(await new Response(run.stdout).text()).toBe('0\ntrue\n');
    expect(await run.exited).toBe(0);
  });
});
