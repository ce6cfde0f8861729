import { describe, expect, test } from 'bun:test';
import { PET_STATUSES } from '../../../src/core/pets/pets.ts';
import { TestService } from '../../support/harness.ts';
import { refusalOf } from '../../support/problem.ts';
import { sharedService } from '../../support/shared-service.ts';

const NAME_MESSAGE = 'a string of 1 to 255 characters, not blank, without control characters.';

const shared = sharedService();

/** The refusal of this body, sent unchanged with a valid key. */
async function refusalOfBody(body: unknown) {
  const service = shared();
  const { secret } = await service.account();
  return refusalOf(await service.post(secret, body));
}

/** The text of a body with this JSON text as its name. */
function named(json: string): string {
  return `{"name":${json},"categoryId":7}`;
}

/** The text of a body with this JSON text as its category. */
function inCategory(json: string): string {
  return `{"name":"Rex","categoryId":${json}}`;
}

describe('an animal added', () => {
  test('is returned with 201, the assigned id and every field', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    const reply = await service.post(secret, { name: 'Rex', categoryId: 7, status: 'sold' });

    expect(reply.status).toBe(201);
    expect(reply.headers.get('Content-Type')).toBe('application/json');
    expect(await reply.json()).toStrictEqual({ id: 1, name: 'Rex', categoryId: 7, status: 'sold' });
  });

  test('can be fetched and listed as it was returned', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const client = service.client(secret);

    const pet = await client.createPet({ name: 'Rex', categoryId: 7, status: 'pending' });

    expect(await client.getPet(pet.id)).toEqual(pet);
    expect((await client.listPets()).pets).toEqual([pet]);
  });

  test('gets an id of its own, ascending, also among many at once', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const client = service.client(secret);

    const before = await client.createPet({ name: 'First', categoryId: 1 });
    const many = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        client.createPet({ name: `Animal ${index}`, categoryId: index }),
      ),
    );
    const after = await client.createPet({ name: 'Last', categoryId: 1 });

    const ids = many.map(({ id }) => Number(id));
    expect(new Set(ids).size).toBe(50);
    expect(Math.min(...ids)).toBeGreaterThan(Number(before.id));
    expect(Math.max(...ids)).toBeLessThan(Number(after.id));
    expect(Number.isSafeInteger(after.id)).toBeTrue();
  });
});

describe('status', () => {
  test.each(PET_STATUSES)('may be %s, and is returned', async (status) => {
    const service = shared();
    const { secret } = await service.account();

    const pet = await service.client(secret).createPet({ name: 'Rex', categoryId: 7, status });

    expect(pet.status).toBe(status);
  });

  test('is available when left out', async () => {
    const service = shared();
    const { secret } = await service.account();

    const reply = await service.post(secret, { name: 'Rex', categoryId: 7 });

    expect(await reply.json()).toMatchObject({ status: 'available' });
  });

  test.each(['""', '"lost"', '"Available"', '" sold"', 'null', '1', 'true', '["sold"]', '{}'])(
    'of %s is refused by name',
    async (json) => {
      const body = `{"name":"Rex","categoryId":7,"status":${json}}`;
      expect(await refusalOfBody(body)).toStrictEqual({
        status: 400,
        code: 'invalid_body',
        message: '"status" must be one of available, pending, sold.',
      });
    },
  );
});

describe('categoryId', () => {
  test.each([
    ['9007199254740993', '9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['0', '0'],
    ['-0', '0'],
    ['1.0', '1'],
    ['1e2', '100'],
    ['12.50E+1', '125'],
    ['9007199254740993.000', '9007199254740993'],
    ['900719925474099300e-2', '9007199254740993'],
  ])('%s is %s to the last digit, in every reply', async (sent, kept) => {
    const service = shared();
    const { secret } = await service.account();

    const created = await service.post(secret, inCategory(sent));
    const text = await created.text();
    const { id }: { id: number } = JSON.parse(text);
    const fetched = await service.request(`/pets/${id}`, { key: secret });
    const listed = await service.request(`/pets?after=${id - 1}`, { key: secret });

    const pet = `{"id":${id},"name":"Rex","categoryId":${kept},"status":"available"}`;
    expect(created.status).toBe(201);
    expect(text).toBe(pet);
    expect(await fetched.text()).toBe(pet);
    expect(await listed.text()).toBe(`[${pet}]`);
  });

  test('comes back to the client as exactly the bigint it sent', async () => {
    const service = shared();
    const { secret } = await service.account();

    const pet = await service
      .client(secret)
      .createPet({ name: 'Rex', categoryId: 9223372036854775807n });

    expect(pet.categoryId).toBe(9223372036854775807n);
  });

  test.each([
    ...['1.5', '"one"', '9223372036854775808', '-9223372036854775809', '1e19', '1e400', '-1e400'],
    ...['1e-1', '9007199254740993.5', '1e999999999999', 'null', 'true', '[]', '[1]', '{}', '""'],
  ])('of %s is refused by name', async (json) => {
    expect(await refusalOfBody(inCategory(json))).toStrictEqual({
      status: 400,
      code: 'invalid_body',
      message: '"categoryId" must be an integer from -9223372036854775808 to 9223372036854775807.',
    });
  });

  test('in quotes is refused with the advice to leave them out', async () => {
    expect((await refusalOfBody(inCategory('"1"'))).message).toBe(
      '"categoryId" must be an integer from -9223372036854775808 to 9223372036854775807, not in quotes.',
    );
  });
});

describe('name', () => {
  test.each([
    ['one character', '"x"', 'x'],
    ['255 letters', `"${'x'.repeat(255)}"`, 'x'.repeat(255)],
    ['255 emoji', `"${'🐕'.repeat(255)}"`, '🐕'.repeat(255)],
    ['emoji by escaped pairs', '"\\ud83d\\udc15"', '🐕'],
    ['one letter under 254 accents', `"e${'\u0301'.repeat(254)}"`, `e${'\u0301'.repeat(254)}`],
    ['letters composed and decomposed', '"\u00e9 e\u0301"', '\u00e9 e\u0301'],
    ['spaces around it', '"  Rex\u00a0 "', '  Rex\u00a0 '],
    ['quotes, backslashes and slashes', '"\\"a\\" \\\\u0000 \\/"', '"a" \\u0000 /'],
    ['line separators', '"a\u2028b\u2029c"', 'a\u2028b\u2029c'],
    ['right-to-left text', '"כלב \u200f!"', 'כלב \u200f!'],
    ['markup', '"<script>alert(1)</script>"', '<script>alert(1)</script>'],
    ['SQL', `"'); DROP TABLE pets;--"`, "'); DROP TABLE pets;--"],
    ['noncharacters', '"\uffff\u{10ffff}"', '\uffff\u{10ffff}'],
  ])('of %s is stored as sent', async (_, json, name) => {
    const service = shared();
    const { secret } = await service.account();

    const reply = await service.post(secret, named(json));

    expect(reply.status).toBe(201);
    const pet: { id: number; name: string } = await reply.json();
    expect(pet).toMatchObject({ name });
    const { pets } = await service.client(secret).listPets({ after: pet.id - 1 });
    expect(pets.map((each) => each.name)).toEqual([name]);
  });

  test.each([
    ['no character', '""'],
    ['256 letters', `"${'x'.repeat(256)}"`],
    ['256 emoji', `"${'🐕'.repeat(256)}"`],
    ['one letter under 255 accents', `"e${'\u0301'.repeat(255)}"`],
    ['52 families of five code points', `"${'👨‍👩‍👧'.repeat(52)}"`],
    ['spaces alone', '"   "'],
    ['white space of other scripts alone', '"\u00a0\u2003\u3000"'],
    ['a NUL escape', '"a\\u0000b"'],
    ['a tab', '"a\\tb"'],
    ['a line break', '"a\\nb"'],
    ['DEL', '"a\u007fb"'],
    ['a C1 control character', '"a\u0085b"'],
    ['a lone high surrogate', '"a\\ud83d"'],
    ['a lone low surrogate', '"\\udc15a"'],
    ['surrogates in the wrong order', '"\\udc15\\ud83d"'],
    ['a number', '1'],
    ['null', 'null'],
    ['an array', '["Rex"]'],
    ['an object', '{}'],
  ])('of %s is refused by name', async (_, json) => {
    expect(await refusalOfBody(named(json))).toStrictEqual({
      status: 400,
      code: 'invalid_body',
      message: `"name" must be ${NAME_MESSAGE}`,
    });
  });
});

describe('fields', () => {
  test.each([
    ['name', { categoryId: 7 }],
    ['name', {}],
    ['categoryId', { name: 'Rex' }],
    ['categoryId', { name: 'Rex', CategoryId: 7 }],
  ])('a missing %s is refused by name: %j', async (name, body) => {
    const refusal = await refusalOfBody(body);

    expect(refusal).toMatchObject({ status: 400, code: 'invalid_body' });
    expect(refusal.message).toStartWith(`"${name}" is required: send `);
  });

  test.each(['null', '[]', '"Rex"', '7', 'true', '[{"name":"Rex","categoryId":7}]'])(
    'a body of %s, not an object, is refused',
    async (body) => {
      expect(await refusalOfBody(body)).toStrictEqual({
        status: 400,
        code: 'invalid_body',
        message: 'The body must be a JSON object.',
      });
    },
  );

  test('that are unknown are ignored, an id among them', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const extra = '"id":42,"tags":[{"a":1.5}],"toString":1,"constructor":{},"__proto__":{"x":1}';

    const reply = await service.post(secret, `{"name":"Rex","categoryId":7,${extra}}`);

    expect(reply.status).toBe(201);
    expect(await reply.json()).toStrictEqual({
      id: 1,
      name: 'Rex',
      categoryId: 7,
      status: 'available',
    });
  });

  test('inherited through a __proto__ member do not count', async () => {
    const refusal = await refusalOfBody('{"__proto__":{"name":"Rex"},"categoryId":7}');

    expect(refusal.message).toStartWith('"name" is required');
  });

  test('a __proto__ member sets no status', async () => {
    const service = shared();
    const { secret } = await service.account();
    const body = '{"name":"Rex","categoryId":7,"__proto__":{"status":"sold"}}';

    expect(await (await service.post(secret, body)).json()).toMatchObject({ status: 'available' });
  });
});
