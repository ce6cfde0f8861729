import { describe, expect, test } from 'bun:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { PARTS } from '../../src/config/config.ts';
import type { NewPet } from '../../src/core/pets/pets.ts';
import { codingChooser } from '../../src/http/body/content-coding.ts';
import { customer } from '../support/dashboard-scene.ts';
import { TestService } from '../support/harness.ts';
import { rawExchange } from '../support/raw.ts';

const KIB = 1024;
/** 300 pets with names in several scripts; 20 of them are above 1 KiB, 100 above 8 KiB. */
const PETS = Array.from({ length: 300 }, (_, index): NewPet => {
  const name = `Ñandú 小雪 ${index} ${'x'.repeat(index % 90)}`;
  return { name, categoryId: 9_007_199_254_740_993n, status: 'available' };
});

/** A service with pets, and requests whose replies are not decompressed. */
async function stocked() {
  const service = await TestService.start({ parts: PARTS });
  const { secret: key } = await service.account();
  await service.stores.environment('production').pets.import(PETS);
  const get = (path: string, accepted: string, init: RequestInit = {}) =>
    fetch(path.startsWith('/') ? service.url() + path : path, {
      ...init,
      headers: { Authorization: `Bearer ${key}`, 'Accept-Encoding': accepted, ...init.headers },
      decompress: false,
    });
  return { service, key, get, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** The content of a reply, decoded according to its headers. */
async function contentOf(reply: Response): Promise<string> {
  const bytes = await reply.bytes();
  expect(reply.headers.get('Content-Length')).toBe(String(bytes.length));
  const coding = reply.headers.get('Content-Encoding');
  if (coding === null) return new TextDecoder().decode(bytes);
  const decode = { gzip: gunzipSync, zstd: zstdDecompressSync }[coding];
  if (!decode) throw new Error(`Sent as ${coding}.`);
  return decode(bytes).toString();
}

const codingOf = ({ headers }: Response) => headers.get('Content-Encoding');

describe('a first page', () => {
  test.each([
    ['gzip', 'gzip'],
    ['zstd', 'zstd'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip;q=1.0, zstd;q=0.5', 'gzip'],
    ['*', 'zstd'],
    ['gzip;q=0.5, identity', null],
    ['br', null],
    ['', null],
  ])('is sent to who accepts %j as %j', async (accepted, coding) => {
    await using it = await stocked();
    const plain = await contentOf(await it.get('/pets', 'identity'));
    // The first reply is made from the store, the next ones come from the cache.
    for (const path of ['/pets?status=available', '/pets?status=available', '/pets', '/pets']) {
      const reply = await it.get(path, accepted);
      expect([reply.status, codingOf(reply)]).toEqual([200, coding]);
      expect(reply.headers.get('Vary')).toBe('Accept-Encoding');
      expect(Number(reply.headers.get('Content-Length')) < plain.length).toBe(coding !== null);
      expect(await contentOf(reply)).toBe(plain);
    }
  });

  test('is sent as it is to who says nothing', async () => {
    await using it = await stocked();
    const head = `GET /v1/pets HTTP/1.1\r\nHost: localhost:${it.service.port}\r\nAuthorization: Bearer ${it.key}`;
    const { replies } = await rawExchange(it.service.port, [
      `${head}\r\nConnection: close\r\n\r\n`,
    ]);
    expect(replies[0]?.headers).not.toHaveProperty('content-encoding');
    expect(replies[0]?.headers).toMatchObject({ vary: 'Accept-Encoding' });
    expect(replies[0]?.body).toBe(await contentOf(await it.get('/pets', 'zstd')));
  });

  test('has the same weak tag in every coding, and the same headers for HEAD', async () => {
    await using it = await stocked();
    for (const accepted of ['gzip', 'zstd', 'identity']) {
      const replies = [];
      for (const method of ['GET', 'HEAD']) {
        const { headers } = await it.get('/pets', accepted, { method });
        const names = [
          'Content-Encoding',
          'Content-Length',
          'Content-Type',
          'ETag',
          'Link',
          'Vary',
        ];
        replies.push(names.map((name) => headers.get(name)));
      }
      expect(replies[1]).toEqual(replies[0] ?? []);
      const tag = (await it.get('/pets', 'identity')).headers.get('ETag') ?? '';
      expect(replies[0]).toContain(tag);
      const again = await it.get('/pets', accepted, { headers: { 'If-None-Match': tag } });
      expect([again.status, codingOf(again), await again.text()]).toEqual([304, null, '']);
    }
  });

  test('below 1 KiB is sent as it is', async () => {
    await using it = await stocked();
    const reply = await it.get('/pets?limit=2', 'gzip');
    expect(codingOf(reply)).toBeNull();
    expect((await contentOf(reply)).length).toBeLessThan(KIB);
  });
});

describe('another reply', () => {
  test('is compressed from 8 KiB on', async () => {
    await using it = await stocked();
    for (const [path, isLarge] of [
      ['/pets?limit=20&after=100', false],
      ['/pets?limit=100&after=100', true],
    ] as const) {
      const plain = await contentOf(await it.get(path, 'identity'));
      expect(Buffer.byteLength(plain) >= 8 * KIB).toBe(isLarge);
      for (const coding of ['gzip', 'zstd']) {
        const reply = await it.get(path, coding);
        expect(codingOf(reply)).toBe(isLarge ? coding : null);
        expect(await contentOf(reply)).toBe(plain);
      }
      // With equal weights, the faster coding is chosen.
      const reply = await it.get(path, 'gzip, deflate, br, zstd');
      expect(codingOf(reply)).toBe(isLarge ? 'gzip' : null);
    }
  });

  test('is compressed at any size for who refuses it as it is, but sent to who refuses all', async () => {
    await using it = await stocked();
    for (const path of ['/pets/1', '/pets/999', '/pets?limit=1']) {
      const plain = await contentOf(await it.get(path, 'identity'));
      for (const accepted of ['gzip, identity;q=0', 'gzip;q=0.1, *;q=0']) {
        const reply = await it.get(path, accepted);
        expect(codingOf(reply)).toBe('gzip');
        expect(await contentOf(reply)).toBe(plain);
      }
      expect(await contentOf(await it.get(path, '*;q=0'))).toBe(plain);
    }
  });

  test('after a compressed one is what it is', async () => {
    await using it = await stocked();
    for (const accepted of ['gzip', 'identity', 'zstd', 'identity']) {
      const expected = accepted === 'identity' ? null : accepted;
      expect(codingOf(await it.get('/pets', accepted))).toBe(expected);
      const unknown = await it.get('/nothing', accepted);
      expect([unknown.status, codingOf(unknown)]).toEqual([404, null]);
    }
  });
});

describe('documents', () => {
  test('are compressed, with a strong tag for each coding', async () => {
    await using it = await stocked();
    const { dashboardUrl } = it.service;
    const ours = ['/openapi.json', '/openapi.yaml'];
    const pages = ['/llms.txt', '/reference.md', '/arazzo.json', '/docs/operations/createPet'];
    for (const path of [...ours, ...pages.map((page) => dashboardUrl + page)]) {
      const plain = await it.get(path, 'identity');
      const content = await contentOf(plain);
      const tags = [plain.headers.get('ETag')];
      for (const coding of ['gzip', 'zstd']) {
        const reply = await it.get(path, coding);
        expect([path, codingOf(reply)]).toEqual([path, coding]);
        expect(reply.headers.get('Vary')).toBe('Accept-Encoding');
        expect(await contentOf(reply)).toBe(content);
        const tag = reply.headers.get('ETag') ?? '';
        expect(tag).toStartWith('"');
        tags.push(tag);
        const headers = { 'If-None-Match': tag };
        const again = await it.get(path, coding, { headers });
        expect([again.status, again.headers.get('ETag'), codingOf(again)]).toEqual([
          304,
          tag,
          null,
        ]);
        expect((await it.get(path, 'identity', { headers })).status).toBe(200);
      }
      expect(new Set(tags).size).toBe(3);
    }
  });
});

describe('the dashboard compresses nothing of an account:', () => {
  test('neither a new key nor a large list', async () => {
    await using it = await stocked();
    const visitor = await customer(it.service);
    const headers = { 'Accept-Encoding': 'gzip, identity;q=0' };
    const replies = [];
    for (let made = 0; made < 40; made += 1) {
      const wish = { name: `key ${made} ${'x'.repeat(40)}`, environment: 'production' };
      replies.push(await visitor.request('POST', '/api/keys', wish, headers));
    }
    const list = await visitor.request('GET', '/api/keys', undefined, headers);
    for (const reply of [...replies, list]) {
      expect(reply.ok).toBeTrue();
      expect(codingOf(reply)).toBeNull();
      expect(reply.headers.has('Vary')).toBeFalse();
    }
    expect((await list.text()).length).toBeGreaterThan(8 * KIB);
  });
});

test('the client reads a compressed list to the end, every digit of it', async () => {
  await using it = await stocked();
  const listed = await Array.fromAsync(it.service.client(it.key).listAllPets());
  expect(listed.map(({ name, categoryId }) => ({ name, categoryId }))).toEqual(
    PETS.map(({ name, categoryId }) => ({ name, categoryId })),
  );
});

describe('Accept-Encoding', () => {
  const choose = codingChooser(['zstd', 'gzip']);
  const weight = fc.constantFrom<(number | undefined)[]>(undefined, 0, 0.001, 0.5, 0.999, 1);
  const weights = fc.record({
    zstd: weight,
    gzip: weight,
    identity: weight,
    br: weight,
    '*': weight,
  });
  const space = fc.constantFrom('', ' ', '\t');
  const changeCase = fc.constantFrom(
    (text: string) => text,
    (text: string) => text.toUpperCase(),
  );
  const header = fc
    .tuple(weights, space, changeCase, fc.boolean())
    .map(([given, gap, change, isReversed]) => {
      const elements = Object.entries(given).flatMap(([name, q]) =>
        q === undefined ? [] : [`${change(name)}${gap};${gap}q=${q}`],
      );
      const text = (isReversed ? elements.reverse() : elements).join(`${gap},${gap}`);
      return { given, text };
    });

  test('is followed: the coding has the greatest weight, and never 0', () => {
    fc.assert(
      fc.property(header, ({ given, text }) => {
        const { coding, isRequired } = choose(text);
        const weightOf = (name: 'zstd' | 'gzip') => given[name] ?? given['*'] ?? 0;
        const identity = given.identity ?? (given['*'] === 0 ? 0 : undefined);
        if (coding) {
          expect(weightOf(coding)).toBeGreaterThan(0);
          expect(weightOf(coding)).toBe(Math.max(weightOf('zstd'), weightOf('gzip')));
          expect(weightOf(coding)).toBeGreaterThanOrEqual(given.identity ?? 0);
          expect(isRequired).toBe(identity === 0);
        } else {
          const best = Math.max(weightOf('zstd'), weightOf('gzip'));
          expect(best === 0 || best < (given.identity ?? 0)).toBeTrue();
        }
        // The cached choice is the same.
        expect(choose(text)).toEqual({ coding, isRequired });
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip;q=0.000', undefined],
    ['gzip;q=1.000', 'gzip'],
    ['gzip;q=2', undefined],
    ['gzip;q=', undefined],
    ['gzip;level=9', undefined],
    ['gzip;q=x, zstd', 'zstd'],
    [',, ,gzip,', 'gzip'],
    ['g zip', undefined],
    ['gzip\u0000', undefined],
    ['not-gzip', undefined],
  ] as const)('%j leads to %j', (text, coding) => {
    expect(choose(text).coding).toBe(coding);
  });

  test('is never an error, whatever it holds', async () => {
    await using it = await stocked();
    const text = fc.oneof(
      fc.stringMatching(/^[ -~\u0080-\u00ff]{0,300}$/),
      fc
        .array(fc.constantFrom('gzip', 'zstd', ';', 'q=', '0', '.5', ',', ' ', '*'))
        .map((all) => all.join('')),
    );
    await fc.assert(
      fc.asyncProperty(text, async (accepted) => {
        const reply = await it.get('/pets', accepted);
        expect(reply.status).toBe(200);
        expect(await contentOf(reply)).toStartWith('[{"id":1,');
      }),
      { numRuns: 300 },
    );
  });
});
