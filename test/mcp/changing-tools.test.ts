import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { TestService } from '../support/harness.ts';
import { ToolClient } from '../support/mcp.ts';

/** Beyond 2^53, so that every rounding parser is detected. */
const CATEGORY = '9007199254740993';

const TRANSPORTS = {
  '/mcp': (service: TestService, key: string) => ToolClient.overHttp(service.dashboardUrl, key),
  'petstore mcp': (service: TestService, key: string) =>
    ToolClient.overStdio({ PETSTORE_KEY: key, PETSTORE_PUBLIC_URL: service.dashboardUrl }),
} as const;

describe.each(Object.entries(TRANSPORTS))('over %s', (_name, connect) => {
  test('an animal is changed with the entity tag of its last result, and deleted', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    await using tools = await connect(service, secret);
    const created = await tools.call('createPet', { name: 'Biscuit', categoryId: 7 });
    const { entityTag: ifMatch } = created.content;
    expect(ifMatch).toMatch(/^"[^"]+"$/);

    const change = { petId: '1', categoryId: CATEGORY, status: 'sold', ifMatch };
    const changed = await tools.call('updatePet', change);
    expect(changed.content.result).toEqual({
      ...{ id: '1', name: 'Biscuit', categoryId: CATEGORY, status: 'sold' },
    });
    const stale = await tools.call('updatePet', { ...change, name: 'Rex' });
    expect(stale).toMatchObject({
      isError: true,
      content: { error: { code: 'precondition_failed', status: 412 } },
    });
    expect(stale.content.retryAfter).toBeUndefined();
    const back = await tools.call('updatePet', { petId: '1', status: 'pending' });
    expect(back.content.error).toMatchObject({ code: 'invalid_transition', status: 409 });
    expect(back.content.retryAfter).toBeUndefined();

    const deleted = await tools.call('deletePet', { petId: '1' });
    expect([deleted.isError, deleted.content.result, deleted.content.error]).toEqual([
      false,
      undefined,
      undefined,
    ]);
    expect((await tools.call('deletePet', { petId: '1' })).content.error).toMatchObject({
      code: 'pet_not_found',
      status: 404,
    });
  });

  test('the sandbox is reset without arguments, and with animals where they say so', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account(undefined, 'staging');
    await using tools = await connect(service, secret);
    await tools.call('createPet', { name: 'Biscuit', categoryId: 7 });

    expect((await tools.call('resetSandbox')).content.result).not.toHaveProperty('animals');
    expect((await tools.call('listPets')).content.result).toHaveLength(1);
    const refused = await tools.call('resetSandbox', { animals: false });
    expect(refused.content.error).toMatchObject({ code: 'invalid_body', status: 400 });
    const reset = await tools.call('resetSandbox', { animals: true });
    expect(reset.content.result.animals).toEqual({ deleted: 1, kept: 0 });
    expect((await tools.call('listPets')).content.result).toEqual([]);
  });
});
