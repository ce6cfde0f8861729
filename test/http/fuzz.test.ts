import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc, { type Arbitrary } from 'fast-check';
import { TestService } from '../support/harness.ts';
import { invalid, valid } from './fuzz/arbitraries.ts';
import {
  bodySchema,
  isValid,
  operation,
  parameter,
  type Schema,
  writeExact,
} from './fuzz/contract.ts';
import { type CheckedReply, checkReply } from './fuzz/replies.ts';

/** The number of concurrent requests. */
const AT_ONCE = 32;

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await TestService.start();
  key = (await service.account()).secret;
});
afterAll(() => service[Symbol.asyncDispose]());

const createPet = operation('createPet');
if (!createPet.requestBody) throw new Error('createPet documents no body.');
const newPet = bodySchema(createPet.requestBody);
const idempotencyKey = parameter('createPet', 'Idempotency-Key');
const queryNames = ['limit', 'status', 'after'];

const textOf = (value: unknown) => (typeof value === 'string' ? value : writeExact(value));

/** The value encoded for a URL, without lone surrogates. */
const inUrl = (value: unknown) => encodeURIComponent(textOf(value).toWellFormed());

const pair = (name: string, value: Arbitrary<unknown>) =>
  value.map((each) => `${name}=${inUrl(each)}`);

/** The pattern allows names of rare white space alone, which the description excludes. */
const named = valid(newPet).filter((pet) => textOf(members(pet)['name']).trim() !== '');

const validQuery = fc
  .tuple(
    ...queryNames.map((name) =>
      fc.option(pair(name, valid(parameter('listPets', name))), { nil: undefined }),
    ),
    fc.option(fc.constantFrom('colour=red', 'x', 'Limit=0', '__proto__=1'), { nil: undefined }),
  )
  .map((parts) => parts.filter((part) => part !== undefined).join('&'));

/** A valid query, followed by one parameter that is invalid or given twice. */
const invalidQuery = fc
  .constantFrom(...queryNames)
  .chain((name) => {
    const schema = parameter('listPets', name);
    const broken = invalid(schema).filter((value) => !reads(schema, value));
    const twice = fc.tuple(pair(name, valid(schema)), pair(name, valid(schema)));
    return fc.oneof(
      pair(name, broken),
      twice.map((both) => both.join('&')),
    );
  })
  .chain((bad) => validQuery.map((good) => (good === '' ? bad : `${good}&${bad}`)));

/** Whether the value is valid when it is read as the text of a URL. */
function reads(schema: Schema, value: unknown): boolean {
  const text = textOf(value);
  return isValid(schema, /^\d+$/.test(text) ? BigInt(text) : text);
}

/** Sends this many requests in concurrent batches, as a busy client does. */
async function fuzz<T>(requests: number, each: Arbitrary<T>, check: (value: T) => Promise<void>) {
  const checked = (value: T) =>
    check(value).catch((cause: unknown) => {
      throw new Error(fc.stringify(value), { cause });
    });
  const batch = fc.array(each, { minLength: AT_ONCE, maxLength: AT_ONCE });
  const property = fc.asyncProperty(batch, async (values) => {
    await Promise.all(values.map(checked));
  });
  const seed =
    process.env['FUZZ_SEED'] === undefined ? {} : { seed: Number(process.env['FUZZ_SEED']) };
  const numRuns = Math.ceil(requests / AT_ONCE);
  const result = await fc.check(property, { ...seed, numRuns, endOnFailure: true });
  if (!result.failed) return;
  const again = `Failed after ${result.numRuns} batches; FUZZ_SEED=${result.seed} repeats it.`;
  throw new Error(again, { cause: result.errorInstance });
}

async function create(body: string, headers?: Record<string, string>): Promise<CheckedReply> {
  return checkReply('createPet', await service.post(key, body, headers));
}

async function list(query: string): Promise<CheckedReply> {
  return checkReply('listPets', await service.request(`/pets?${query}`, { key }));
}

async function getPet(id: string): Promise<CheckedReply> {
  return checkReply('getPet', await service.request(`/pets/${id}`, { key }));
}

const sendable = (value: unknown): value is string => {
  if (typeof value !== 'string' || isValid(idempotencyKey, value.trim())) return false;
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
};

describe('requests made from the OpenAPI document: createPet', () => {
  test('a valid body is created, comes back equal, and is fetched equal', async () => {
    await fuzz(3_000, named, async (pet) => {
      const { status, body } = await create(writeExact(pet));
      expect(status).toBe(201);
      const { id, ...created } = members(body);
      const { name, categoryId, status: given = 'available' } = members(pet);
      expect(created).toEqual({ name, categoryId, status: given });
      expect((await getPet(String(id))).body).toEqual(body);
    });
  });

  test('an invalid body is refused as such', async () => {
    await fuzz(5_000, invalid(newPet), async (value) => {
      expect(members((await create(writeExact(value))).body)['code']).toBe('invalid_body');
    });
  });

  test('bytes that were tampered with are created, or refused with 400', async () => {
    const edit = fc.record({
      at: fc.nat(),
      cut: fc.nat(3),
      put: fc.uint8Array({ maxLength: 3 }),
    });
    const edited = fc.tuple(valid(newPet), edit).map(([pet, { at, cut, put }]) => {
      const bytes = Buffer.from(writeExact(pet));
      const start = at % bytes.length;
      return Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(start + cut)]);
    });
    await fuzz(3_000, edited, async (body) => {
      const headers = { 'Content-Type': 'application/json' };
      const reply = await service.request('/pets', { key, method: 'POST', headers, body });
      expect([201, 400]).toContain((await checkReply('createPet', reply)).status);
    });
  });

  test('a valid Idempotency-Key gives one animal, and another body with it 422', async () => {
    const used = new Set<string>();
    const request = fc.tuple(valid(idempotencyKey), named);
    await fuzz(500, request, async ([value, pet]) => {
      const name = String(value);
      if (used.has(name)) return;
      used.add(name);
      const headers = { 'Idempotency-Key': name };
      const first = await create(writeExact(pet), headers);
      const second = await create(writeExact(pet), headers);
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.body).toEqual(first.body);
      expect(second.headers.get('Idempotent-Replayed')).toBe('true');
      const third = await create('{"name":"Another","categoryId":5}', headers);
      expect(third.status).toBe(422);
    });
  });

  test('an invalid Idempotency-Key is refused', async () => {
    await fuzz(1_000, invalid(idempotencyKey).filter(sendable), async (name) => {
      const { body } = await create('{"name":"Biscuit","categoryId":7}', {
        'Idempotency-Key': name,
      });
      expect(members(body)['code']).toBe('invalid_parameter');
    });
  });
});

describe('requests made from the OpenAPI document: listPets', () => {
  test('a valid query is answered with such animals, in ascending id', async () => {
    const page = Array.from({ length: 120 }, (_, index) =>
      create(
        `{"name":"${index}","categoryId":${index},"status":"${['available', 'sold'][index % 2]}"}`,
      ),
    );
    await Promise.all(page);
    await fuzz(3_000, validQuery, async (query) => {
      const { status, body } = await list(query);
      expect(status).toBe(200);
      checkPage(new URLSearchParams(query), body);
    });
  });

  test('an invalid query is refused as such', async () => {
    await fuzz(3_000, invalidQuery, async (query) => {
      expect(members((await list(query)).body)['code']).toBe('invalid_parameter');
    });
  });
});

describe('requests made from the OpenAPI document: getPet', () => {
  test('any int64 that is no animal, and whatever is no int64, gets 404, whatever the query', async () => {
    const schema = parameter('getPet', 'petId');
    const text = fc
      .oneof(valid(schema), invalid(schema))
      .filter((value) => typeof value !== 'bigint' || value < 1n || value > 1_000_000n)
      .map(inUrl)
      .filter((each) => !/^(?:\.{0,2}|\d{1,6})$/.test(each));
    await fuzz(2_000, fc.tuple(text, invalidQuery), async ([id, query]) => {
      expect(members((await getPet(`${id}?${query}`)).body)['code']).toBe('pet_not_found');
    });
  });
});

describe('requests made from the OpenAPI document: any operation', () => {
  test('without a valid key gets 401', async () => {
    const request = fc.record({
      headers: fc.oneof(
        fc.constant({}),
        fc.string({ unit: fc.constantFrom(...'pst_live019AZaz ,"=') }).map((text) => ({
          Authorization: `Bearer ${text}`,
        })),
      ),
      id: fc.constantFrom('listPets', 'createPet', 'getPet'),
    });
    await fuzz(1_000, request, async ({ id, headers }) => {
      const method = id === 'createPet' ? 'POST' : 'GET';
      const reply = await service.request(id === 'getPet' ? '/pets/1' : '/pets', {
        method,
        headers,
      });
      expect((await checkReply(id, reply)).status).toBe(401);
    });
  });
});

function members(value: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value ?? {}));
}

function checkPage(query: URLSearchParams, page: unknown): void {
  if (!Array.isArray(page)) throw new Error('A page is an array.');
  const pets = page.map(members);
  expect(pets.length).toBeLessThanOrEqual(Number(query.get('limit') ?? 20));
  const ids = pets.map(({ id }) => BigInt(String(id)));
  expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
  expect(ids.every((id) => id > BigInt(query.get('after') ?? 0))).toBe(true);
  const status = query.get('status');
  if (status !== null) expect(pets.every((pet) => pet['status'] === status)).toBe(true);
}
