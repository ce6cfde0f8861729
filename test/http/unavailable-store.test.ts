import { expect, spyOn, test } from 'bun:test';
import { StorageUnavailable } from '../../src/core/errors.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { ask } from '../support/limit-readings.ts';

test('a key that cannot be looked up gets 503, however often, and takes nothing from its address', async () => {
  const settings = { PETSTORE_ANONYMOUS_PER_MINUTE: '3', PETSTORE_ANONYMOUS_PER_DAY: '10' };
  await using service = await TestService.start({ clock: new ManualClock(), settings });
  const { secret } = await service.account();
  const lookUp = spyOn(service.stores.keys, 'findByDigest').mockImplementation(() => {
    throw new StorageUnavailable(new Error('disk error'));
  });
  for (let sent = 0; sent < 5; sent += 1) {
    const { status, code, retryAfter, remaining } = await ask(service, secret);
    expect({ status, code, retryAfter, remaining }).toEqual({
      ...{ status: 503, code: 'unavailable', retryAfter: 1, remaining: 3 },
    });
  }
  lookUp.mockRestore();
  expect((await ask(service, secret)).status).toBe(200);
  expect(await ask(service)).toMatchObject({ status: 401, remaining: 2 });
});
