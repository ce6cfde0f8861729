import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { subscribe } from '../../src/core/limits/plans.ts';
import type { NewPet } from '../../src/core/pets/pets.ts';
import { hourOf } from '../../src/core/requests/usage.ts';
import { isNotModified } from '../../src/http/reply/entity-tag.ts';
import { ManualClock, TestService, temporaryFolder } from '../support/harness.ts';
import { rawExchange } from '../support/raw.ts';

const PET: NewPet = { name: 'Biscuit', categoryId: 7, status: 'available' };
/** A page with a next page, the last page, a list by status, and one pet. */
const PATHS = ['/pets?limit=2', '/pets?limit=2&after=2', '/pets?status=sold', '/pets/1'];

/** A service with this many pets, and its client. */
async function stocked(count = 3) {
  const service = await TestService.start();
  const { secret: key } = await service.account();
  await service.stores.environment('production').pets.import(Array<NewPet>(count).fill(PET));
  const get = (path: string, known?: string, method = 'GET') =>
    service.request(path, {
      ...{ key, method },
      headers: known === undefined ? {} : { 'If-None-Match': known },
    });
  const tagOf = async (path: string) => (await get(path)).headers.get('ETag') ?? '';
  return { service, key, get, tagOf, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

describe.each(PATHS)('the reply to GET %s', (path) => {
  test('has a tag that stays the same, and may be kept by the client alone', async () => {
    await using it = await stocked();
    const { headers } = await it.get(path);
    // Weak for a list, strong for an animal.
    const form = path.startsWith('/pets?') ? /^W\/"[\w-]+"$/ : /^"[\w-]+"$/;
    expect(headers.get('ETag')).toMatch(form);
    expect(headers.get('Cache-Control')).toBe('private, no-cache');
    expect(await it.tagOf(path)).toBe(headers.get('ETag') ?? '');
    expect((await it.get(path, undefined, 'HEAD')).headers.get('ETag')).toBe(headers.get('ETag'));
  });

  test('is 304 without a body for who has it, with the headers of a 200', async () => {
    await using it = await stocked();
    const first = await it.get(path);
    const tag = first.headers.get('ETag') ?? '';
    const other = tag.startsWith('W/') ? tag.slice(2) : `W/${tag}`;
    for (const known of [tag, other, `"other", ${tag}`, `W/"a,b" , ${tag}`, '*', ' * ']) {
      for (const method of ['GET', 'HEAD']) {
        const reply = await it.get(path, known, method);
        const { status, headers } = reply;
        expect([known, status, await reply.text()]).toEqual([known, 304, '']);
        for (const name of ['ETag', 'Cache-Control', 'Vary', 'Link', 'Deprecation', 'Sunset']) {
          expect([name, headers.get(name)]).toEqual([name, first.headers.get(name)]);
        }
        const absent = new Set(['content-length', 'content-type', 'transfer-encoding']);
        const names = [...first.headers.keys()].filter((name) => !absent.has(name));
        expect([...headers.keys()].sort()).toEqual(names.sort());
      }
    }
  });

  test('is sent to who has another one, or sends what is no tag', async () => {
    await using it = await stocked();
    const tag = await it.tagOf(path);
    const opaque = tag.replace('W/', '').slice(1, -1);
    const others = ['"other"', 'W/""', opaque, '', '"', ',', '**', tag.replace('"', "'")];
    for (const known of others) {
      const reply = await it.get(path, known);
      expect([known, reply.status]).toEqual([known, 200]);
      expect(await reply.json()).toBeObject();
    }
  });
});

describe('a 304', () => {
  test('counts as a request, and is refused past the limit as any other', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    await service.stores.environment('production').pets.import([PET]);
    const plan = subscribe('enterprise', { perMinute: 3, perDay: 100 });
    const { secret: key, account } = await service.account(plan);
    const headers = { 'If-None-Match': '*' };
    const replies = [];
    for (const path of ['/pets', '/pets/1', '/pets', '/pets']) {
      replies.push(await service.request(path, { key, headers }));
    }
    expect(replies.map(({ status }) => status)).toEqual([304, 304, 304, 429]);
    const remaining = replies.map((reply) => reply.headers.get('X-RateLimit-Remaining'));
    expect(remaining).toEqual(['2', '1', '0', '0']);
    for (const reply of replies) expect(reply.headers.get('X-Request-Id')).toBeString();
    expect(replies[3]?.headers.get('ETag')).toBeNull();

    await service.runJobs();
    const hour = hourOf(clock.now().wall);
    const usage = await service.stores.usage.byPeriod({ accountId: account.id, first: hour });
    expect(usage).toMatchObject([{ succeeded: 3, limited: 1 }]);
  });

  test('ends with its head', async () => {
    await using it = await stocked();
    const head = [
      ...['GET /v1/pets HTTP/1.1', `Host: localhost:${it.service.port}`, 'If-None-Match: *'],
      ...[`Authorization: Bearer ${it.key}`, 'Connection: close', '', ''],
    ];
    const { text } = await rawExchange(it.service.port, [head.join('\r\n')]);
    expect(text).toStartWith('HTTP/1.1 304 ');
    expect(text.slice(text.indexOf('\r\n\r\n'))).toBe('\r\n\r\n');
    expect(text.toLowerCase()).not.toContain('content-length');
  });

  test('answers no other method, and no error', async () => {
    await using it = await stocked();
    const created = await it.service.post(it.key, PET, { 'If-None-Match': '*' });
    expect(created.status).toBe(201);
    for (const path of ['/pets/99', '/pets?limit=0', '/nothing']) {
      const reply = await it.get(path, '*');
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect(reply.headers.get('ETag')).toBeNull();
      expect(reply.headers.get('Cache-Control')).toBe('no-store');
    }
  });

  test('can be seen by a page of another origin', async () => {
    await using it = await stocked();
    const tag = await it.tagOf('/pets');
    const headers = { Origin: 'https://shop.example', 'If-None-Match': tag };
    const reply = await it.service.request('/pets', { key: it.key, headers });
    expect(reply.status).toBe(304);
    expect(reply.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(reply.headers.get('Access-Control-Expose-Headers')).toContain('ETag');
  });
});

describe('the tag of a list', () => {
  test('changes with an animal that joins the page, and with the first one after it', async () => {
    await using it = await stocked(3);
    const tags = [await it.tagOf('/pets?limit=4')];
    for (let added = 0; added < 3; added += 1) {
      await it.service.post(it.key, PET);
      tags.push(await it.tagOf('/pets?limit=4'));
    }
    const [three, four, fourOfMore, fourOfMany] = tags;
    expect(new Set([three, four, fourOfMore]).size).toBe(3);
    expect(fourOfMany).toBe(fourOfMore ?? '');
    expect((await it.get('/pets?limit=4', four)).headers.get('Link')).toContain('rel="next"');
  });

  test('stays the same when the service starts again', async () => {
    using folder = temporaryFolder();
    const tagsOf = async (service: TestService, key: string) => {
      const replies = PATHS.map((path) => service.request(path, { key }));
      return (await Promise.all(replies)).map(({ headers }) => headers.get('ETag'));
    };
    const first = await TestService.start({ folder: folder.path });
    const { secret: key } = await first.account();
    await first.stores.environment('production').pets.import([PET, PET, PET]);
    const tags = await tagsOf(first, key);
    await first.stop();
    await using second = await TestService.start({ folder: folder.path });
    expect(await tagsOf(second, key)).toEqual(tags);
  });
});

describe('If-None-Match', () => {
  const opaque = fc.stringMatching(/^[!#-~\u0080-\u00ff]{0,12}$/);
  const tag = fc.tuple(fc.constantFrom('', 'W/'), opaque).map(([weak, text]) => `${weak}"${text}"`);
  const space = fc.constantFrom('', ' ', '\t', '  ');
  const comma = fc.tuple(space, space, space).map(([a, b, c]) => `${a},${b},${c}`.trim() || ',');
  const requestWith = (known: string) =>
    new Request('http://localhost/', { headers: { 'If-None-Match': known } });

  test('finds the tag in a list if, and only if, it is there', () => {
    const list = fc.tuple(fc.array(tag, { maxLength: 5 }), comma, opaque, fc.boolean());
    fc.assert(
      fc.property(list, ([others, separator, own, isThere]) => {
        const known = others.filter((other) => !other.endsWith(`"${own}"`));
        const all = isThere ? [...known, `"${own}"`, ...known] : known;
        const entityTag = `W/"${own}"`;
        expect(isNotModified(requestWith(all.join(separator)), entityTag)).toBe(isThere);
      }),
    );
  });

  test('is never an error, whatever it holds', async () => {
    await using it = await stocked();
    const text = fc.stringMatching(/^[ -~\u0080-\u00ff]{0,80}$/);
    await fc.assert(
      fc.asyncProperty(text, async (known) => {
        const { status } = await it.get('/pets', known);
        expect([200, 304]).toContain(status);
      }),
      { numRuns: 300 },
    );
  });
});
