import { describe, expect, test } from 'bun:test';
import { rejection } from '../../../client/testing/test-client.ts';
import { PARTS } from '../../../src/config/config.ts';
import { ManualClock, TestService } from '../../support/harness.ts';
import { refusalOf } from '../../support/problem.ts';
import { sharedService } from '../../support/shared-service.ts';

const SUNSET = Date.UTC(2030, 11, 5);

/** A service whose store contains pet 1. */
async function startWithPet(clock = new ManualClock()): Promise<TestService> {
  const service = await TestService.start({ clock, parts: PARTS });
  const { secret } = await service.account();
  await service.client(secret).createPet({ name: 'Rex', categoryId: 9007199254740993n });
  return service;
}

const shared = sharedService(startWithPet);
const sharedAfterSunset = sharedService(() => startWithPet(new ManualClock(SUNSET)));

/** Adds a new key of the test to a service that other tests use as well. */
async function withKey(service: TestService) {
  return { service, secret: (await service.account()).secret };
}

/** The headers that every reply of a deprecated operation has. */
function lifecycle(headers: Headers) {
  return {
    deprecation: headers.get('Deprecation'),
    sunset: headers.get('Sunset'),
    link: headers.get('Link'),
  };
}

function expectedLifecycle(url: string, dashboardUrl: string) {
  return {
    deprecation: '@1795132800',
    sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    link:
      `<${dashboardUrl}/docs/operations/getPet#deprecation>; rel="deprecation"; type="text/html", ` +
      `<${url}/pets>; rel="successor-version"`,
  };
}

describe('an animal', () => {
  test('is fetched by its id, exactly as it was added', async () => {
    const { service, secret } = await withKey(shared());

    expect(await service.client(secret).getPet(1)).toEqual({
      id: 1,
      name: 'Rex',
      categoryId: 9007199254740993n,
      status: 'available',
    });
  });

  test('comes with exactly the fields of Pet, as JSON', async () => {
    const { service, secret } = await withKey(shared());

    const reply = await service.request('/pets/1', { key: secret });

    expect(reply.status).toBe(200);
    expect(reply.headers.get('Content-Type')).toBe('application/json');
    expect(await reply.text()).toBe(
      '{"id":1,"name":"Rex","categoryId":9007199254740993,"status":"available"}',
    );
  });

  test('of the other environment is not found', async () => {
    const service = shared();
    const { secret } = await service.account(undefined, 'staging');

    const error = await rejection(
      service.client(secret, { baseUrl: service.url('staging') }).getPet(1),
    );

    expect(error).toMatchObject({ status: 404, code: 'pet_not_found' });
  });
});

describe('petId', () => {
  test.each([2n, 0n, -1n, 9007199254740993n, 9223372036854775807n, -9223372036854775808n])(
    '%p, which no animal has, gets 404',
    async (id) => {
      const { service, secret } = await withKey(shared());

      const error = await rejection(service.client(secret).getPet(id));

      expect(error).toMatchObject({
        status: 404,
        code: 'pet_not_found',
        message: `No animal has the id ${id}. List animals to see their ids.`,
      });
    },
  );

  test.each([
    ...['abc', '1.0', '1e0', '1.5', '+1', '%201', '1%20', '1,2', '0x1', '1%00', '٣', '"1"'],
    ...['9223372036854775808', '-9223372036854775809', '9'.repeat(1000), '-', '%zz', '%'],
    ...['1;2', '1%2F', 'null'],
  ])('%s, not an int64, gets 404', async (id) => {
    const { service, secret } = await withKey(shared());

    const reply = await service.request(`/pets/${id}`, { key: secret });

    expect(await refusalOf(reply)).toStrictEqual({
      status: 404,
      code: 'pet_not_found',
      message: 'An id is a whole number, as the list of animals shows it.',
    });
  });

  test.each(['/pets/', '/pets/1/', '/pets/1/name', '/pets//1'])(
    'absent or followed by more, as in %s, gets 404',
    async (path) => {
      const { service, secret } = await withKey(shared());

      const reply = await service.request(path, { key: secret });

      expect(await refusalOf(reply)).toMatchObject({ status: 404, code: 'not_found' });
    },
  );

  test.each(['/pets/%31', '/pets/1?limit=0&x', '/pets/1?'])(
    'may be percent-encoded and followed by a query: %s',
    async (path) => {
      const { service, secret } = await withKey(shared());

      const reply = await service.request(path, { key: secret });

      expect(reply.status).toBe(200);
      expect(await reply.json()).toMatchObject({ id: 1 });
    },
  );
});

describe('deprecation', () => {
  test.each(['/pets/1', '/pets/2', '/pets/x'])(
    'is told by the headers of every reply: %s',
    async (path) => {
      const { service, secret } = await withKey(shared());

      const got = await service.request(path, { key: secret });
      const head = await service.request(path, { key: secret, method: 'HEAD' });

      expect(lifecycle(got.headers)).toEqual(
        expectedLifecycle(service.url(), service.dashboardUrl),
      );
      expect(lifecycle(head.headers)).toEqual(
        expectedLifecycle(service.url(), service.dashboardUrl),
      );
    },
  );

  test("links to the environment's own addresses", async () => {
    await using service = await TestService.start();
    const { secret } = await service.account(undefined, 'staging');

    const reply = await service.request('/pets/1', { key: secret, environment: 'staging' });

    expect(lifecycle(reply.headers)).toEqual(
      expectedLifecycle(service.url('staging'), service.dashboardUrl),
    );
  });

  test('links to documents and animals that are really there', async () => {
    const { service, secret } = await withKey(shared());
    const { headers } = await service.request('/pets/1', { key: secret });

    const targets = [...(headers.get('Link') ?? '').matchAll(/<([^>]+)>/g)].map(([, url]) => url);

    expect(targets).toHaveLength(2);
    for (const target of targets) {
      const reply = await fetch(target ?? '', { headers: { Authorization: `Bearer ${secret}` } });
      expect(reply.status).toBe(200);
    }
  });

  test('is absent from the operations that stay', async () => {
    // A new service, because an added pet would affect other tests.
    await using service = await startWithPet();
    const { secret } = await service.account();
    const none = { deprecation: null, sunset: null, link: null };

    const list = await service.request('/pets', { key: secret });
    const created = await service.post(secret, { name: 'Tom', categoryId: 7 });

    expect(lifecycle(list.headers)).toEqual(none);
    expect(lifecycle(created.headers)).toEqual(none);
  });
});

describe('removal', () => {
  test('happens on 5 December 2030, UTC, and not one millisecond before', async () => {
    const clock = new ManualClock(SUNSET - 1);
    await using service = await startWithPet(clock);
    const { secret } = await service.account();

    const before = await service.request('/pets/1', { key: secret });
    clock.advance(1);
    const after = await service.request('/pets/1', { key: secret });

    expect([before.status, after.status]).toEqual([200, 410]);
  });

  test.each(['/pets/1', '/pets/2', '/pets/x'])(
    'answers 410 from that instant on, whatever the id: %s',
    async (path) => {
      const { service, secret } = await withKey(sharedAfterSunset());

      const reply = await service.request(path, { key: secret });

      expect(lifecycle(reply.headers)).toEqual(
        expectedLifecycle(service.url(), service.dashboardUrl),
      );
      expect(await refusalOf(reply)).toStrictEqual({
        status: 410,
        code: 'operation_removed',
        message: `getPet was removed. Use ${service.url()}/pets instead.`,
      });
    },
  );

  test('leaves the replacement, other paths, other methods and the need of a key', async () => {
    const { service, secret } = await withKey(sharedAfterSunset());
    const status = async (path: string, init: { key?: string; method?: string }) =>
      (await service.request(path, init)).status;

    expect(await status('/pets?status=available', { key: secret })).toBe(200);
    expect(await status('/pets/1', { key: secret, method: 'HEAD' })).toBe(410);
    expect(await status('/pets/1', { key: secret, method: 'PUT' })).toBe(405);
    expect(await status('/pets/1/x', { key: secret })).toBe(404);
    expect(await status('/pets/1', {})).toBe(401);
    expect((await service.post(secret, { name: 'Tom', categoryId: 7 })).status).toBe(201);
  });

  test('reaches a client as an ApiError with its code', async () => {
    const { service, secret } = await withKey(sharedAfterSunset());

    const error = await rejection(service.client(secret).getPet(1));

    expect(error).toMatchObject({ status: 410, code: 'operation_removed' });
  });
});
