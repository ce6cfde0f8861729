import { describe, expect, test } from 'bun:test';
import { PET_TRANSITIONS } from '../../../src/core/pets/pet-changes.ts';
import { PET_STATUSES } from '../../../src/core/pets/pets.ts';
import { ManualClock, TestService } from '../../support/harness.ts';
import { refusalOf } from '../../support/problem.ts';
import { sharedService } from '../../support/shared-service.ts';
import { petScene } from './pet-scene.ts';

const MERGE_PATCH = { 'Content-Type': 'application/merge-patch+json' };
const REX = { name: 'Rex', categoryId: 7, status: 'available' } as const;
const HEADERS = '"Content-Type: application/json" or "Content-Type: application/merge-patch+json"';
const TYPES = 'application/json, application/merge-patch+json';
const NAME = 'a string of 1 to 255 characters, not blank, without control characters';

const shared = sharedService();

/** An animal of a new account. */
const rex = (body: unknown = REX) => petScene(shared(), body);

describe('updatePet', () => {
  test.each([
    [{ status: 'pending' }, { ...REX, status: 'pending' }],
    [{ name: 'Tom' }, { ...REX, name: 'Tom' }],
    [{ categoryId: 8 }, { ...REX, categoryId: 8 }],
    [{ categoryId: 0 }, { ...REX, categoryId: 0 }],
    [
      { name: '🐕', categoryId: -1, status: 'sold' },
      { name: '🐕', categoryId: -1, status: 'sold' },
    ],
  ])('changes what is sent, and nothing else: %j', async (patch, changed) => {
    const it = await rex();
    const reply = await it.patch(patch);
    expect([reply.status, await reply.json()]).toEqual([200, { id: it.id, ...changed }]);
    expect(reply.headers.get('Cache-Control')).toBe('no-store');
    const got = await it.get();
    expect(await got.json()).toEqual({ id: it.id, ...changed });
    expect(got.headers.get('ETag')).toBe(reply.headers.get('ETag') ?? '');
    const listed = await shared().request(`/pets?after=${it.id - 1}`, { key: it.key });
    expect(await listed.json()).toEqual([{ id: it.id, ...changed }]);
  });

  test.each([
    'application/json',
    'application/merge-patch+json',
    'Application/Merge-Patch+JSON; x=y',
  ])('takes %s', async (type) => {
    const it = await rex();
    const reply = await it.patch({ name: 'Tom' }, { 'Content-Type': type });
    expect([reply.status, (await reply.json()).name]).toEqual([200, 'Tom']);
  });

  test.each([
    'text/plain',
    'application/json-patch+json',
    'application/merge-patch',
    'text/json',
    '',
  ])('takes no %s, and names what it takes', async (type) => {
    const it = await rex();
    const reply = await it.patch({ name: 'Tom' }, { 'Content-Type': type });
    expect(reply.headers.get('Accept-Patch')).toBe(TYPES);
    expect(await refusalOf(reply)).toEqual({
      status: 400,
      code: 'unsupported_content_type',
      message: `Send the body as JSON, with the header ${HEADERS}.`,
    });
  });

  test('takes no content coding, and no merge patch is a creation', async () => {
    const it = await rex();
    const coded = await it.patch({ name: 'Tom' }, { ...MERGE_PATCH, 'Content-Encoding': 'gzip' });
    expect([coded.status, coded.headers.get('Accept-Patch')]).toEqual([400, TYPES]);
    const created = await shared().post(it.key, REX, MERGE_PATCH);
    expect([created.status, created.headers.get('Accept-Patch')]).toEqual([400, null]);
    // It names what a creation takes.
    expect((await refusalOf(created)).message).toBe(
      'Send the body as JSON, with the header "Content-Type: application/json".',
    );
  });

  test('names its media types to OPTIONS', async () => {
    const it = await rex();
    const { status, headers } = await shared().request(it.path, { key: it.key, method: 'OPTIONS' });
    expect([status, headers.get('Accept-Patch')]).toEqual([204, TYPES]);
    expect(headers.get('Allow')).toBe('GET, HEAD, PATCH, DELETE, OPTIONS');
  });

  test('is beta, and says so', async () => {
    const it = await rex();
    const replies = [await it.patch({ name: 'Tom' }), await it.patch({}), await it.get()];
    const stabilities = replies.map(({ headers }) => headers.get('Petstore-Stability'));
    expect(stabilities).toEqual(['beta', 'beta', null]);
  });

  test('ignores an Idempotency-Key', async () => {
    const it = await rex();
    const headers = { 'Idempotency-Key': 'two words, the same' };
    expect((await it.patch({ name: 'Tom' }, headers)).status).toBe(200);
    const second = await it.patch({ name: 'Kim' }, headers);
    expect((await second.json()).name).toBe('Kim');
    expect(second.headers.has('Idempotent-Replayed')).toBeFalse();
  });
});

describe('a body', () => {
  test.each([
    ['{}', 'Send at least one of: name, categoryId, status.'],
    ['[]', 'The body must be a JSON object.'],
    ['[{"name":"Tom"}]', 'The body must be a JSON object.'],
    ['null', 'The body must be a JSON object.'],
    ['"sold"', 'The body must be a JSON object.'],
    ['7', 'The body must be a JSON object.'],
    ['{"id":1}', '"id" is not a field here. Use: name, categoryId, status.'],
    ['{"id":null,"name":"Tom"}', '"id" is not a field here. Use: name, categoryId, status.'],
    ['{"name":"Tom","owner":"a"}', '"owner" is not a field here. Use: name, categoryId, status.'],
    ['{"Name":"Tom"}', '"Name" is not a field here. Use: name, categoryId, status.'],
    ['{"toString":1}', '"toString" is not a field here. Use: name, categoryId, status.'],
    [
      '{"__proto__":{"name":"x"}}',
      '"__proto__" is not a field here. Use: name, categoryId, status.',
    ],
    ['{"constructor":{}}', '"constructor" is not a field here. Use: name, categoryId, status.'],
    ['{"name":null}', `"name" must be ${NAME}.`],
    ['{"status":"sold","name":null}', `"name" must be ${NAME}.`],
    ['{"name":" "}', `"name" must be ${NAME}.`],
    ['{"name":""}', `"name" must be ${NAME}.`],
    ['{"name":"\\ud800"}', `"name" must be ${NAME}.`],
    ['{"name":7}', `"name" must be ${NAME}.`],
    ['{"status":null}', '"status" must be one of available, pending, sold.'],
    ['{"status":"lost"}', '"status" must be one of available, pending, sold.'],
    ['{"status":["sold"]}', '"status" must be one of available, pending, sold.'],
    ['{"categoryId":null}', /^"categoryId" must be an integer from -9223372036854775808 to/],
    ['{"categoryId":1.5}', /^"categoryId" must be an integer from -9223372036854775808 to/],
    ['{"categoryId":9223372036854775808}', /^"categoryId" must be an integer from/],
    ['{"categoryId":"7"}', /^"categoryId" must be an integer from .*, not in quotes\.$/],
  ])('of %s is refused, and changes nothing', async (body, message) => {
    const it = await rex();
    for (const headers of [{}, MERGE_PATCH]) {
      const refusal = await refusalOf(await it.patch(body, headers));
      expect(refusal).toMatchObject({ status: 400, code: 'invalid_body' });
      expect(refusal.message).toMatch(message);
    }
    expect(await (await it.get()).json()).toEqual({ id: it.id, ...REX });
  });

  test.each(['', '{', '{"name":"Tom",}', '{"name":"Tom","name":"Kim"}'])(
    'that is not strict JSON is refused: %s',
    async (body) => {
      const it = await rex();
      const refusal = await refusalOf(await it.patch(body));
      expect(refusal).toMatchObject({ status: 400, code: 'invalid_json' });
    },
  );

  test('that is too large is refused', async () => {
    const it = await rex();
    const refusal = await refusalOf(await it.patch({ name: 'x'.repeat(65_537) }));
    expect(refusal).toMatchObject({ status: 413, code: 'body_too_large' });
  });

  test.each([
    ['9007199254740993', '9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['-0', '0'],
    ['1e2', '100'],
    ['9007199254740993.000', '9007199254740993'],
  ])('keeps a category of %s as %s, to the last digit', async (sent, kept) => {
    const it = await rex();
    const reply = await it.patch(`{"categoryId":${sent}}`, MERGE_PATCH);
    const pet = `{"id":${it.id},"name":"Rex","categoryId":${kept},"status":"available"}`;
    expect(await reply.text()).toBe(pet);
    expect(await (await it.get()).text()).toBe(pet);
    // Another change keeps it, too.
    const sold = await it.patch({ status: 'sold' });
    expect(await sold.text()).toBe(pet.replace('available', 'sold'));
  });
});

describe('a status', () => {
  test.each(PET_STATUSES.flatMap((from) => PET_STATUSES.map((to) => [from, to] as const)))(
    'changes from %s to %s only as the table says',
    async (from, to) => {
      const it = await rex({ ...REX, status: from });
      const reply = await it.patch({ status: to });
      const isAllowed = from === to || PET_TRANSITIONS[from].includes(to);
      expect([from, to, reply.status]).toEqual([from, to, isAllowed ? 200 : 409]);
      const { status } = await (await it.get()).json();
      expect(status).toBe(isAllowed ? to : from);
    },
  );

  test('that does not follow is refused with both names and what is allowed', async () => {
    const it = await rex({ ...REX, status: 'sold' });
    const reply = await it.patch({ status: 'pending', name: 'Tom' });
    expect(reply.headers.has('Retry-After')).toBeFalse();
    expect(await refusalOf(reply)).toEqual({
      status: 409,
      code: 'invalid_transition',
      message:
        'The status cannot change from sold to pending. From sold it can change to available.',
    });
    // Nor is the name changed.
    expect(await (await it.get()).json()).toMatchObject({ name: 'Rex', status: 'sold' });
  });

  test('that the animal has is 200 with the same tag, and changes nothing', async () => {
    const it = await rex({ ...REX, status: 'sold' });
    const tag = (await it.get()).headers.get('ETag') ?? '';
    for (const patch of [{ status: 'sold' }, { name: 'Rex' }, { ...REX, status: 'sold' }]) {
      const reply = await it.patch(patch);
      expect([reply.status, reply.headers.get('ETag')]).toEqual([200, tag]);
    }
  });
});

test('the transitions are published', async () => {
  await using service = await TestService.start({ parts: ['production', 'dashboard'] });
  const sentence =
    '`status` can change from available to pending or sold, from pending to available or sold, from sold to available.';
  const document = await (await service.request('/openapi.json')).json();
  expect(document.paths['/pets/{petId}'].patch.description).toContain(sentence);
  const markdown = await (await fetch(`${service.dashboardUrl}/reference.md`)).text();
  expect(markdown).toContain(sentence);
});

describe('after the sunset of getPet', () => {
  test('the Location of the creation serves both, and the tag comes with 201 and updatePet', async () => {
    const clock = new ManualClock(Date.UTC(2030, 11, 5) - 1);
    await using service = await TestService.start({ clock });
    const it = await petScene(service, REX);
    const state = async () => {
      const options = await service.request(it.path, { key: it.key, method: 'OPTIONS' });
      const patched = await it.patch({ status: 'available' });
      return [
        (await it.get()).status,
        options.headers.get('Allow'),
        options.headers.get('Accept-Patch'),
        [patched.status, patched.headers.get('ETag'), patched.headers.get('Sunset')],
      ];
    };
    const rest = ['GET, HEAD, PATCH, DELETE, OPTIONS', TYPES, [200, it.tag, null]];
    expect(await state()).toEqual([200, ...rest]);
    clock.advance(1);
    expect(await state()).toEqual([410, ...rest]);
    const changed = await it.patch({ status: 'sold' }, { 'If-Match': it.tag });
    const tag = changed.headers.get('ETag') ?? '';
    expect([changed.status, tag === it.tag]).toEqual([200, false]);
    const deleted = await it.remove({ 'If-Match': tag });
    expect(deleted.status).toBe(204);
    const created = await service.post(it.key, REX);
    const { id } = await created.json();
    expect(created.headers.get('Location')).toBe(`${service.url()}/pets/${id}`);
  });
});

describe('PETSTORE_STABILITY=stable', () => {
  test('leaves neither operation', async () => {
    const settings = { PETSTORE_STABILITY: 'stable' };
    await using service = await TestService.start({ settings });
    const it = await petScene(service, REX);
    for (const method of ['PATCH', 'DELETE'] as const) {
      const reply = await service.change(it.key, method, it.path, { name: 'Tom' });
      expect([reply.status, reply.headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
    const options = await service.request(it.path, { key: it.key, method: 'OPTIONS' });
    expect([options.status, options.headers.get('Accept-Patch')]).toEqual([204, null]);
    // The tags are part of the stable operations.
    expect((await it.get()).headers.get('ETag')).toBe(it.tag);
    const document = await (await service.request('/openapi.json')).json();
    expect(Object.keys(document.paths['/pets/{petId}'])).toEqual(['get']);
    expect(document.components.schemas).not.toHaveProperty('PetPatch');
  });
});
