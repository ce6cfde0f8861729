import { describe, expect, test } from 'bun:test';
import { TestService } from '../../support/harness.ts';
import { refusalOf } from '../../support/problem.ts';
import { sharedService } from '../../support/shared-service.ts';
import { petScene } from './pet-scene.ts';

const REX = { name: 'Rex', categoryId: 7 };
const OLD = '"AAAAAAAAAAAAAAAAAAAAAA"';

const shared = sharedService();
const rex = (body: unknown = REX) => petScene(shared(), body);

/** A tag with the suffix of a content coding. */
const coded = (tag: string, coding: string) => `${tag.slice(0, -1)}-${coding}"`;

describe('the tag of an animal', () => {
  test('is strong, and the same from its creation until it changes', async () => {
    const it = await rex();
    expect(it.tag).toMatch(/^"[\w-]{22}"$/);
    const head = await shared().request(it.path, { key: it.key, method: 'HEAD' });
    const replies = [await it.get(), head, await it.patch({ name: 'Rex' })];
    for (const { headers } of replies) expect(headers.get('ETag')).toBe(it.tag);
  });

  test('changes with each field, and comes back with its value', async () => {
    const it = await rex();
    const tags = new Set([it.tag]);
    for (const patch of [{ name: 'Tom' }, { categoryId: 8 }, { status: 'pending' }]) {
      const changed = await it.patch(patch);
      const tag = changed.headers.get('ETag') ?? '';
      expect((await it.get()).headers.get('ETag')).toBe(tag);
      tags.add(tag);
    }
    expect(tags.size).toBe(4);
    const back = await it.patch({ ...REX, status: 'available' });
    expect(back.headers.get('ETag')).toBe(it.tag);
  });

  test('stays weak on lists', async () => {
    const it = await rex();
    const { headers } = await shared().request('/pets', { key: it.key });
    expect(headers.get('ETag')).toStartWith('W/');
  });

  test('revalidates GET and HEAD, which ignore If-Match', async () => {
    const it = await rex();
    expect((await it.get({ 'If-None-Match': it.tag })).status).toBe(304);
    expect((await it.get({ 'If-None-Match': `W/${it.tag}` })).status).toBe(304);
    for (const value of [OLD, 'no tag', '', `W/${it.tag}`]) {
      expect((await it.get({ 'If-Match': value })).status).toBe(200);
    }
    await it.patch({ name: 'Tom' });
    expect((await it.get({ 'If-None-Match': it.tag })).status).toBe(200);
  });

  test.each(['gzip', 'zstd'])(
    'has a suffix in the coding %s, and matches with it',
    async (coding) => {
      const headers = { 'Accept-Encoding': `${coding}, identity;q=0` };
      const service = shared();
      const { secret: key } = await service.account();
      const created = await service.post(key, REX, headers);
      const { id } = await created.json();
      const plain = (await service.request(`/pets/${id}`, { key })).headers.get('ETag') ?? '';
      const tag = coded(plain, coding);
      expect([created.headers.get('ETag'), created.headers.get('Content-Encoding')]).toEqual([
        tag,
        coding,
      ]);
      const got = await service.request(`/pets/${id}`, { key, headers });
      expect(got.headers.get('ETag')).toBe(tag);
      const patch = async (body: object, ifMatch: string) => {
        const given = { ...headers, 'If-Match': ifMatch };
        return service.change(key, 'PATCH', `/pets/${id}`, body, given);
      };
      const changed = await patch({ name: 'Tom' }, tag);
      expect([changed.status, (await changed.json()).name]).toEqual([200, 'Tom']);
      const next = changed.headers.get('ETag') ?? '';
      expect(next).toEndWith(`-${coding}"`);
      expect((await patch({ name: 'Kim' }, tag)).status).toBe(412);
      // Without its suffix.
      const bare = next.replace(`-${coding}`, '');
      expect((await patch({ name: 'Kim' }, bare)).status).toBe(200);
    },
  );
});

/** Values of If-Match that match, by the current tag. */
const MATCHING: ReadonlyArray<readonly [string, (tag: string) => string]> = [
  ['the tag', (tag) => tag],
  ['a list that ends with it', (tag) => `${OLD}, ${tag}`],
  ['a list that begins with it', (tag) => `${tag},${OLD}`],
  ['a list with weak and odd tags', (tag) => `W/"a,b" , "" ,\t"ä", ${tag}`],
  ['a list with empty elements', (tag) => `, ${tag} ,, `],
  ['the tag in a coding', (tag) => coded(tag, 'gzip')],
  ['the tag in another coding', (tag) => coded(tag, 'br')],
  ['the tag in a coding after a semicolon', (tag) => `${tag.slice(0, -1)};gzip"`],
  ['anything', () => '*'],
  ['anything, with spaces', () => ' * '],
];

/** Values of If-Match that do not match. */
const OTHERS: ReadonlyArray<readonly [string, (tag: string) => string]> = [
  ['another tag', () => OLD],
  ['a list of others', () => `${OLD}, "b"`],
  ['the tag as a weak one', (tag) => `W/${tag}`],
  ['a weak one in a coding', (tag) => `W/${coded(tag, 'gzip')}`],
  ['the tag in lower case', (tag) => tag.toLowerCase()],
  ['the tag with an unknown suffix', (tag) => coded(tag, 'x')],
  ['an empty tag', () => '""'],
  ['a star in quotes', () => '"*"'],
];

const MALFORMED = [
  ['nothing', ''],
  ['a comma', ','],
  ['no quotes', 'abc'],
  ['single quotes', "'abc'"],
  ['half a tag', '"abc'],
  ['two stars', '*, *'],
  ['a star in a list', '*, "abc"'],
  ['a tag and more', '"abc" x'],
  ['two tags without a comma', '"a" "b"'],
  ['a semicolon', '"a"; "b"'],
  ['a space in a tag', '"a b"'],
  ['a small w', 'w/"abc"'],
  ['a weak mark alone', 'W/'],
  ['a date', 'Thu, 05 Dec 2030 00:00:00 GMT'],
  ['many commas', `"a"${' ,'.repeat(3_000)} b`],
] as const;

describe('If-Match', () => {
  test.each(MATCHING)('passes with %s', async (_, headerOf) => {
    const it = await rex();
    const headers = { 'If-Match': headerOf(it.tag) };
    const changed = await it.patch({ status: 'available' }, headers);
    expect([changed.status, (await it.remove(headers)).status]).toEqual([200, 204]);
  });

  test.each(OTHERS)('fails with %s, and nothing is changed', async (_, headerOf) => {
    const it = await rex();
    const headers = { 'If-Match': headerOf(it.tag) };
    for (const reply of [await it.patch({ name: 'Tom' }, headers), await it.remove(headers)]) {
      expect(reply.headers.has('Retry-After')).toBeFalse();
      expect(await refusalOf(reply)).toEqual({
        status: 412,
        code: 'precondition_failed',
        message:
          'The version does not meet If-Match, so nothing was changed. Read it again, and use its ETag.',
      });
    }
    expect((await it.get()).headers.get('ETag')).toBe(it.tag);
  });

  test('has a pattern in the document that accepts what the service accepts, and refuses the rest', async () => {
    const it = await rex();
    const document = await (await fetch(`${shared().url()}/openapi.json`)).json();
    const parameters: ReadonlyArray<{ name: string; schema: { pattern: string } }> =
      document.paths['/pets/{petId}'].patch.parameters;
    for (const name of ['If-Match', 'If-None-Match']) {
      const { pattern = '' } = parameters.find((each) => each.name === name)?.schema ?? {};
      const matches = (value: string) => new RegExp(pattern, 'u').test(value);
      for (const [, headerOf] of [...MATCHING, ...OTHERS]) {
        const value = headerOf(it.tag).trim();
        expect([value, matches(value)]).toEqual([value, true]);
      }
      for (const [, value] of MALFORMED) expect([value, matches(value)]).toEqual([value, false]);
    }
  });

  test.each(MALFORMED)('that is no list of tags is refused: %s', async (_, value) => {
    const it = await rex();
    for (const name of ['If-Match', 'If-None-Match']) {
      const headers = { [name]: value };
      for (const reply of [await it.patch({ name: 'Tom' }, headers), await it.remove(headers)]) {
        expect(await refusalOf(reply)).toEqual({
          status: 400,
          code: 'invalid_parameter',
          message: `The header "${name}" must be an entity tag with its quotes, several separated by commas, or *.`,
        });
      }
    }
    expect((await it.get()).status).toBe(200);
  });

  test('of several lines is one list', async () => {
    const it = await rex();
    const lines = new Headers([
      ['If-Match', OLD],
      ['If-Match', it.tag],
      ['Authorization', `Bearer ${it.key}`],
    ]);
    const reply = await shared().request(it.path, { method: 'DELETE', headers: lines });
    expect(reply.status).toBe(204);
  });

  test('lets exactly one of many clients with the same tag change the animal', async () => {
    const it = await rex();
    const replies = await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        it.patch({ categoryId: 100 + index }, { 'If-Match': it.tag }),
      ),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(31).fill(412)]);
    const winner = replies.find(({ status }) => status === 200);
    expect(await (await it.get()).json()).toEqual(await winner?.json());
  });

  test('lets one of a change and a deletion with the same tag pass', async () => {
    const it = await rex();
    const headers = { 'If-Match': it.tag };
    const [changed, removed] = await Promise.all([
      it.patch({ name: 'Tom' }, headers),
      it.remove(headers),
    ]);
    // After the deletion there is no animal to compare.
    expect([
      [200, 412],
      [404, 204],
    ]).toContainEqual([changed.status, removed.status]);
  });
});

describe('If-None-Match of a change or a deletion', () => {
  test.each([
    ['the tag', (tag: string) => tag],
    ['the tag as a weak one', (tag: string) => `W/${tag}`],
    ['a list with it', (tag: string) => `${OLD}, ${tag}`],
    ['the tag in a coding', (tag: string) => coded(tag, 'zstd')],
    ['anything', () => '*'],
  ])('fails with %s', async (_, headerOf) => {
    const it = await rex();
    const headers = { 'If-None-Match': headerOf(it.tag) };
    const replies = [await it.patch({ name: 'Tom' }, headers), await it.remove(headers)];
    expect(replies.map(({ status }) => status)).toEqual([412, 412]);
    for (const reply of replies) {
      expect((await refusalOf(reply)).message).toBe(
        'The version does not meet If-None-Match, so nothing was changed. Read it again, and use its ETag.',
      );
    }
  });

  test('is named only where If-Match is met', async () => {
    const it = await rex();
    const messageWith = async (ifMatch: string) => {
      const headers = { 'If-Match': ifMatch, 'If-None-Match': it.tag };
      return (await refusalOf(await it.patch({ name: 'Tom' }, headers))).message;
    };
    expect(await messageWith(it.tag)).toContain('does not meet If-None-Match,');
    expect(await messageWith(OLD)).toContain('does not meet If-Match,');
  });

  test('passes with other tags, and never leads to a 304', async () => {
    const it = await rex();
    const changed = await it.patch({ name: 'Tom' }, { 'If-None-Match': OLD });
    const tag = changed.headers.get('ETag') ?? '';
    expect(changed.status).toBe(200);
    // The tag that the animal has only after the change.
    const back = await it.patch({ name: 'Rex' }, { 'If-None-Match': it.tag });
    expect([back.status, back.headers.get('ETag')]).toEqual([200, it.tag]);
    expect((await it.remove({ 'If-None-Match': `${tag}, ${OLD}` })).status).toBe(204);
  });

  test('does not concern a creation', async () => {
    const { secret } = await shared().account();
    for (const value of ['*', 'no tag']) {
      const headers = { 'If-None-Match': value, 'If-Match': value };
      expect((await shared().post(secret, REX, headers)).status).toBe(201);
    }
  });
});

test('dates are ignored', async () => {
  const it = await rex();
  const headers = {
    'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT',
    'If-Modified-Since': 'Thu, 05 Dec 2030 00:00:00 GMT',
    'If-Range': OLD,
  };
  expect((await it.get(headers)).status).toBe(200);
  expect((await it.patch({ name: 'Tom' }, headers)).status).toBe(200);
  expect((await it.remove(headers)).status).toBe(204);
});

test('a replayed creation has the tag of its first reply', async () => {
  await using service = await TestService.start();
  const { secret } = await service.account();
  const headers = { 'Idempotency-Key': 'once' };
  const body = '{"name":"Rex","categoryId":9223372036854775807}';
  const first = await service.post(secret, body, headers);
  await service.change(secret, 'PATCH', '/pets/1', { name: 'Tom' });
  const again = await service.post(secret, body, headers);
  expect(again.headers.get('ETag')).toBe(first.headers.get('ETag') ?? '');
  // It is not the present one.
  const stale = { 'If-Match': again.headers.get('ETag') ?? '' };
  expect((await service.change(secret, 'DELETE', '/pets/1', undefined, stale)).status).toBe(412);
});
