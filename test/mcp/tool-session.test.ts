import { describe, expect, test } from 'bun:test';
import { operationsOf } from '../../src/api/all-operations.ts';
import { PARTS } from '../../src/config/config.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { HOUR, SECOND } from '../../src/lib/clock.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { ERAS, type Era, ToolClient } from '../support/mcp.ts';

const TRANSPORTS = {
  '/mcp': (service: TestService, key: string, era: Era) =>
    ToolClient.overHttp(service.dashboardUrl, key, era),
  'petstore mcp': (service: TestService, key: string, era: Era) =>
    ToolClient.overStdio({ PETSTORE_KEY: key, PETSTORE_PUBLIC_URL: service.dashboardUrl }, era),
} as const;

/** Beyond 2^53, so that every rounding parser is detected. */
const CATEGORY = '9007199254740993';

describe.each(Object.entries(TRANSPORTS))('a session over %s', (_name, connect) => {
  test.each(ERAS)('lists, creates, pages, meets an error and a 429: %s', async (era) => {
    const clock = new ManualClock();
    await using service = await TestService.start({ parts: PARTS, clock });
    const { secret } = await service.account(
      subscribe('enterprise', { perMinute: 8, perDay: 1_000 }),
    );
    await using tools = await connect(service, secret, era);

    const listed = await tools.client.listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual(
      [...operationsOf('production'), ...operationsOf('quickstart')].map(({ id }) => id),
    );
    expect(tools.client.getInstructions()).toContain('production');

    for (const name of ['Biscuit', 'Pebble', 'Mopsa']) {
      const { isError, content } = await tools.call('createPet', { name, categoryId: CATEGORY });
      expect(isError).toBe(false);
      expect(content.result).toEqual({
        id: expect.stringMatching(/^[1-3]$/),
        name,
        categoryId: CATEGORY,
        status: 'available',
      });
    }

    const first = await tools.call('listPets', { limit: 2, status: 'available' });
    expect(first.content.result.map(({ id }: { id: string }) => id)).toEqual(['1', '2']);
    expect(first.content.nextPage).toEqual({ limit: 2, status: 'available', after: '2' });
    const second = await tools.call('listPets', first.content.nextPage);
    expect(second.content.result).toMatchObject([{ id: '3', categoryId: CATEGORY }]);
    expect(second.content.nextPage).toBeUndefined();
    expect(second.content.rateLimit).toEqual({
      limit: 8,
      remaining: 3,
      reset: clock.now().wall / SECOND + 60,
      minute: { limit: 8, remaining: 3, resetIn: 60 },
      day: { limit: 1_000, remaining: 995, resetIn: 12 * 3_600 },
    });

    const absent = await tools.call('getPet', { petId: '42' });
    const message = 'No animal has the id 42. List animals to see their ids.';
    expect(absent).toMatchObject({
      isError: true,
      content: {
        error: { code: 'pet_not_found', message, status: 404 },
        rateLimit: { remaining: 2 },
      },
    });
    expect((await tools.call('getPet', { petId: '1' })).content.result.name).toBe('Biscuit');
    const sent = await tools.call('sendMessage', { message: 'Hello, petstore!' });
    expect(sent.content.result).toMatchObject({ message: 'Hello, petstore!', status: 'queued' });

    clock.advance(20 * SECOND);
    const refused = await tools.call('listPets');
    expect(refused).toMatchObject({
      isError: true,
      content: {
        error: { code: 'rate_limited', status: 429 },
        retryAfter: 40,
        rateLimit: { limit: 8, remaining: 0, minute: { remaining: 0, resetIn: 40 } },
      },
    });
    clock.advance(40 * SECOND);
    expect((await tools.call('listPets')).isError).toBe(false);
  });
});

describe('a tool', () => {
  test('gives the first reply again for the same idempotencyKey', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    await using tools = await ToolClient.overHttp(service.dashboardUrl, secret);
    const animal = { name: 'Biscuit', categoryId: '7', idempotencyKey: 'first' };
    const made = await tools.call('createPet', animal);
    expect(made.content.replayed).toBeUndefined();
    const again = await tools.call('createPet', animal);
    expect(again.content).toMatchObject({ result: made.content.result, replayed: true });
    const other = await tools.call('createPet', { ...animal, name: 'Pebble' });
    expect(other).toMatchObject({ isError: true, content: { error: { status: 422 } } });
  });

  test('changes and deletes the version of an animal that it was given', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    await using tools = await ToolClient.overHttp(service.dashboardUrl, secret);
    const made = await tools.call('createPet', { name: 'Biscuit', categoryId: '7' });
    const petId = '1';
    const ifMatch = made.content.entityTag;
    expect(ifMatch).toMatch(/^"[\w-]{22}"$/);
    expect((await tools.call('getPet', { petId })).content.entityTag).toBe(ifMatch);
    expect((await tools.call('listPets')).content).not.toHaveProperty('entityTag');
    const patch = { petId, categoryId: '9223372036854775807', ifMatch };
    const changed = await tools.call('updatePet', patch);
    expect(changed.content.result).toMatchObject({ categoryId: '9223372036854775807' });
    const stale = await tools.call('updatePet', patch);
    expect(stale).toMatchObject({
      isError: true,
      content: { error: { code: 'precondition_failed', status: 412 } },
    });
    const { content } = await tools.call('updatePet', { petId, name: 'Tom', ifMatch: 'Tom' });
    expect(content.error).toMatchObject({ code: 'invalid_parameter', status: 400 });
    const either = `${ifMatch}, ${changed.content.entityTag}`;
    const deleted = await tools.call('deletePet', { petId, ifMatch: either });
    expect(deleted.isError).toBeFalse();
    expect(Object.keys(deleted.content)).toEqual(['rateLimit', 'requestId']);
  });

  test('without its argument for the path is refused by name, and sends no request', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    await using tools = await ToolClient.overHttp(service.dashboardUrl, secret);
    for (const given of [{}, { petId: null }, { id: '1' }]) {
      const { isError, content } = await tools.call('getPet', given);
      const message = 'The parameter "petId" is required: send it.';
      expect({ isError, content }).toEqual({
        isError: true,
        content: { error: { code: 'invalid_parameter', message, status: 400 } },
      });
    }
  });

  test('names no quotes in the error for an int64, which is a string here', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    await using tools = await ToolClient.overHttp(service.dashboardUrl, secret);
    for (const categoryId of ['9223372036854775808', '1e400', 'one', '']) {
      const { content } = await tools.call('createPet', { name: 'Biscuit', categoryId });
      expect(content.error).toMatchObject({
        code: 'invalid_body',
        message:
          '"categoryId" must be an integer from -9223372036854775808 to 9223372036854775807.',
      });
    }
  });

  test('keeps every int64 exact, also where a client sends it as a number', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    await using tools = await ToolClient.overHttp(service.dashboardUrl, secret);
    for (const categoryId of ['9223372036854775807', '-9223372036854775808', '0', '7']) {
      const { content } = await tools.call('createPet', { name: 'Biscuit', categoryId });
      expect(content.result.categoryId).toBe(categoryId);
    }
    const { content } = await tools.call('createPet', { name: 'Biscuit', categoryId: 7 });
    expect(content.result.categoryId).toBe('7');
    const raw = await fetch(`${service.dashboardUrl}/mcp`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${secret}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"createPet","arguments":{"name":"Biscuit","categoryId":9007199254740993}}}',
    });
    expect(await raw.text()).toContain('"categoryId":"9007199254740993"');
  });

  test('over stdio refuses a number that was rounded when it was read', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    const settings = { PETSTORE_KEY: secret, PETSTORE_PUBLIC_URL: service.dashboardUrl };
    await using tools = await ToolClient.overStdio(settings);
    const rounded = await tools.call('createPet', { name: 'Biscuit', categoryId: 2 ** 53 });
    expect(rounded).toMatchObject({ isError: true, content: { error: { status: 400 } } });
    expect(rounded.content.error?.message).toContain('decimal strings');
    expect((await tools.call('listPets')).content.result).toEqual([]);
  });

  test('of a banned key says so, and until when', async () => {
    const clock = new ManualClock();
    const settings = { PETSTORE_BAN_AFTER: '2' };
    await using service = await TestService.start({ parts: PARTS, clock, settings });
    const { secret } = await service.account(
      subscribe('enterprise', { perMinute: 1, perDay: 1_000 }),
    );
    await using tools = await ToolClient.overHttp(service.dashboardUrl, secret);
    await tools.call('listPets');
    await tools.call('listPets');
    clock.advance(3 * SECOND);
    for (let count = 0; count < 2; count += 1) await tools.call('listPets');
    const banned = await tools.call('listPets');
    expect(banned).toMatchObject({
      isError: true,
      content: { error: { code: 'api_key_banned', status: 429 }, retryAfter: 300 },
    });
  });

  test('of the sandbox works with a staging key', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account(undefined, 'staging');
    await using tools = await ToolClient.overHttp(service.dashboardUrl, secret);
    await tools.client.listTools();
    const shown = await tools.call('getSandbox');
    expect([shown.isError, typeof shown.content.result]).toEqual([false, 'object']);
  });

  test('of the sandbox works with a key that has expired on the clock of its account', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { account } = await service.account(undefined, 'staging');
    const expiresAt = Date.now() + HOUR;
    const request = { environment: 'staging', name: 'short-lived', expiresAt } as const;
    const { text } = await service.stores.apiKeyService.issue(account, request, 'test');
    await using tools = await ToolClient.overHttp(service.dashboardUrl, text);
    const advanced = await tools.call('advanceClock', { advanceSeconds: 7_200 });
    expect(advanced.isError).toBe(false);
    expect((await tools.call('resetSandbox')).isError).toBe(false);
  });
});
