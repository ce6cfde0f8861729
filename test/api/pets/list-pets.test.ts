import { describe, expect, test } from 'bun:test';
import { isApiError, type Pet } from '../../../client/src/index.ts';
import { PET_STATUSES, type PetStatus } from '../../../src/core/pets/pets.ts';
import { TestService } from '../../support/harness.ts';
import { refusalOf } from '../../support/problem.ts';
import { sharedService } from '../../support/shared-service.ts';

const shared = sharedService();

/** Fills a store with pets 1, 2, 3 …, with alternating statuses. */
async function stock(service: TestService, count: number): Promise<void> {
  const pets = Array.from({ length: count }, (_, index) => ({
    name: `Animal ${index + 1}`,
    categoryId: BigInt(index),
    status: statusOf(index + 1),
  }));
  await service.stores.environment('production').pets.import(pets);
}

function statusOf(id: number): PetStatus {
  return PET_STATUSES[id % PET_STATUSES.length] ?? 'available';
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function ids(pets: readonly Pet[]): number[] {
  return pets.map(({ id }) => Number(id));
}

describe('the list', () => {
  test('is a bare JSON array, also of nothing', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    const reply = await service.request('/pets', { key: secret });

    expect(reply.status).toBe(200);
    expect(reply.headers.get('Content-Type')).toBe('application/json');
    expect(await reply.text()).toBe('[]');
  });

  test('holds animals with exactly the fields of Pet', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const pet = await service.client(secret).createPet({ name: 'Rex', categoryId: 7 });

    const reply = await service.request('/pets', { key: secret });

    expect(await reply.json()).toStrictEqual([
      { id: pet.id, name: 'Rex', categoryId: 7, status: 'available' },
    ]);
  });

  test('is one store of pets, seen by every key of its environment and by no other', async () => {
    await using service = await TestService.start();
    const one = await service.account();
    const other = await service.account();
    const staging = await service.account(undefined, 'staging');
    const pet = await service.client(one.secret).createPet({ name: 'Rex', categoryId: 7 });

    expect((await service.client(other.secret).listPets()).pets).toEqual([pet]);
    const elsewhere = service.client(staging.secret, { baseUrl: service.url('staging') });
    expect((await elsewhere.listPets()).pets).toEqual([]);
  });
});

describe('limit', () => {
  test('is 20 when left out', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    await stock(service, 21);

    expect(ids((await service.client(secret).listPets()).pets)).toEqual(numbers(20));
  });

  test.each([1, 99, 100])('may be %i, and bounds the page', async (limit) => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    await stock(service, 101);

    expect(ids((await service.client(secret).listPets({ limit })).pets)).toEqual(numbers(limit));
  });

  test.each([
    ...['0', '101', '-1', '1.5', '1.0', '1e1', '0x10', '+5', '020', '%205', '5%20', 'ten', ''],
    ...['null', '9'.repeat(400), '%zz', '٣'],
  ])('of "%s" is refused by name', async (limit) => {
    const service = shared();
    const { secret } = await service.account();

    const refusal = await refusalOf(await service.request(`/pets?limit=${limit}`, { key: secret }));

    expect(refusal).toMatchObject({ status: 400, code: 'invalid_parameter' });
    expect(refusal.message).toBe('The parameter "limit" must be a whole number from 1 to 100.');
  });
});

describe('status', () => {
  test.each(PET_STATUSES)('%s shows only animals of that status', async (status) => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    await stock(service, 12);

    const { pets } = await service.client(secret).listPets({ status });

    expect(ids(pets)).toEqual(numbers(12).filter((id) => statusOf(id) === status));
    expect(new Set(pets.map((pet) => pet.status))).toEqual(new Set([status]));
  });

  test('and limit make a page of their own, however often each is asked for', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    await stock(service, 12);
    const client = service.client(secret);

    for (let round = 0; round < 2; round += 1) {
      expect(ids((await client.listPets({ limit: 1 })).pets)).toEqual([1]);
      expect(ids((await client.listPets({ limit: 1, status: 'sold' })).pets)).toEqual([2]);
      expect(ids((await client.listPets({ limit: 2, status: 'sold' })).pets)).toEqual([2, 5]);
    }
  });

  test('left out shows animals of every status', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    await stock(service, 3);

    const { pets } = await service.client(secret).listPets();

    expect(new Set(pets.map((pet) => pet.status))).toEqual(new Set(PET_STATUSES));
  });

  test.each([
    'lost',
    'Available',
    'available,sold',
    'available%20',
    'available+',
    '',
    'constructor',
  ])('of "%s" is refused by name', async (status) => {
    const service = shared();
    const { secret } = await service.account();

    const refusal = await refusalOf(
      await service.request(`/pets?status=${status}`, { key: secret }),
    );

    expect(refusal).toMatchObject({ status: 400, code: 'invalid_parameter' });
    expect(refusal.message).toBe('The parameter "status" must be one of available, pending, sold.');
  });
});

describe('parameters', () => {
  test.each([
    ['limit', 'limit=1&limit=2'],
    ['limit', 'limit=5&limit=5'],
    ['limit', 'limit=5&li%6Dit=5'],
    ['status', 'status=sold&limit=1&status=pending'],
    ['after', 'after=1&after=1'],
  ])('a %s given twice is refused by name: %s', async (name, query) => {
    const service = shared();
    const { secret } = await service.account();

    const refusal = await refusalOf(await service.request(`/pets?${query}`, { key: secret }));

    expect(refusal).toMatchObject({ status: 400, code: 'invalid_parameter' });
    expect(refusal.message).toBe(`The parameter "${name}" is given twice. Give it once.`);
  });

  test.each(['-1', '1.0', 'x', '', '01', '9223372036854775808'])(
    'an after of "%s" is refused by name',
    async (after) => {
      const service = shared();
      const { secret } = await service.account();

      const reply = await service.request(`/pets?after=${after}`, { key: secret });
      const refusal = await refusalOf(reply);

      expect(refusal).toMatchObject({ status: 400, code: 'invalid_parameter' });
      expect(refusal.message).toContain('"after"');
    },
  );

  test.each([9007199254740993n, 9223372036854775807n])(
    'an after of %p, past every id, gives an empty last page',
    async (after) => {
      await using service = await TestService.start();
      const { secret } = await service.account();
      await stock(service, 3);

      expect(await service.client(secret).listPets({ after })).toEqual({
        pets: [],
        next: undefined,
      });
    },
  );

  test('that are unknown are ignored, and names may be percent-encoded', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    await stock(service, 3);

    const reply = await service.request('/pets?page=9&li%6Dit=2&&=', { key: secret });

    expect(reply.status).toBe(200);
    expect(await reply.json()).toHaveLength(2);
  });

  test('that are refused reach a user of the client as an ApiError', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    const error = await service
      .client(secret)
      .listPets({ limit: 101 })
      .catch((reason: unknown) => reason);

    expect(isApiError(error, 'invalid_parameter')).toBeTrue();
  });
});

describe('paging', () => {
  test('a Link header names the next page while more animals follow', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    await stock(service, 7);
    const link = async (path: string) =>
      (await service.request(path, { key: secret })).headers.get('Link');
    const url = service.url();

    expect(await link('/pets?limit=3')).toBe(`<${url}/pets?limit=3&after=3>; rel="next"`);
    expect(await link('/pets?limit=3&after=3')).toBe(`<${url}/pets?limit=3&after=6>; rel="next"`);
    expect(await link('/pets?limit=3&after=6')).toBeNull();
    expect(await link('/pets?limit=1&status=sold')).toBe(
      `<${url}/pets?limit=1&status=sold&after=2>; rel="next"`,
    );
  });

  test('a full page with nothing behind it is the last', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    await stock(service, 20);

    const reply = await service.request('/pets', { key: secret });

    expect(await reply.json()).toHaveLength(20);
    expect(reply.headers.get('Link')).toBeNull();
  });

  test.each([
    [1, 'sold'],
    [7, 'pending'],
    [34, 'available'],
    [100, 'sold'],
    [3, undefined],
    [100, undefined],
  ] as const)('pages of %i, status %s, show every animal once', async (limit, status) => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    await stock(service, 205);

    const seen = await Array.fromAsync(service.client(secret).listAllPets({ limit, status }));

    const all = numbers(205);
    expect(ids(seen)).toEqual(status ? all.filter((id) => statusOf(id) === status) : all);
  });

  test('animals added during a walk come at its end', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const client = service.client(secret);
    await stock(service, 4);

    const first = await client.listPets({ limit: 3 });
    const added = await client.createPet({ name: 'Late', categoryId: 1 });
    const second = await client.listPets(first.next);

    expect(ids(second.pets)).toEqual([4, Number(added.id)]);
    expect(second.next).toBeUndefined();
  });
});
