import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import { ManualClock, TestService } from '../support/harness.ts';

describe('every reply of the API', () => {
  test('may be neither stored, unless the client can revalidate it, nor guessed at', async () => {
    await using service = await TestService.start({ clock: new ManualClock() });
    const limits = { perMinute: 6, perDay: 100 };
    const { secret: key } = await service.account(subscribe('enterprise', limits));
    const replies = [
      await service.request('/pets'),
      await service.request('/pets', { key }),
      await service.request('/pets', { key, method: 'HEAD' }),
      await service.request('/pets', { key, method: 'OPTIONS' }),
      await service.post(key, { name: 'Biscuit', categoryId: 7 }),
      await service.post(key, {}),
      await service.request('/nothing', { key }),
      await service.request('/pets', { key }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([401, 200, 200, 204, 201, 400, 404, 429]);
    for (const { status, headers } of replies) {
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      const isRevalidated = status === 200;
      expect(headers.get('Cache-Control')).toBe(isRevalidated ? 'private, no-cache' : 'no-store');
    }
    expect(replies.flatMap(({ headers }, index) => (headers.has('ETag') ? index : []))).toEqual([
      1, 2, 4,
    ]);
  });

  test('may be stored and revalidated if it is a document, and is not guessed at', async () => {
    await using service = await TestService.start();
    const { headers } = await service.request('/openapi.json');
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Cache-Control')).toBe('no-cache');
  });

  test('has no header that belongs to the reply before it', async () => {
    await using service = await TestService.start({ clock: new ManualClock() });
    const pet = { name: 'Biscuit', categoryId: 7, status: 'available' } as const;
    await service.stores.environment('production').pets.import([pet, pet]);
    const limits = { perMinute: 5, perDay: 100 };
    const { secret: key } = await service.account(subscribe('enterprise', limits));
    const replies = [
      await service.request('/pets?limit=1', { key }),
      await service.request('/pets', { key, headers: { Origin: 'https://example.com' } }),
      await service.request('/pets'),
      await service.request('/pets', { key, method: 'OPTIONS' }),
      await service.request('/pets/1', { key }),
      await service.request('/pets?limit=1', { key }),
      await service.request('/pets', { key }),
      await service.request('/openapi.json'),
    ];
    expect(replies.map(({ headers }) => OWN.filter((name) => headers.has(name)))).toEqual([
      ['Link', 'ETag'],
      ['ETag', 'Access-Control-Allow-Origin'],
      ['WWW-Authenticate'],
      ['Allow'],
      ['Link', 'Deprecation', 'ETag'],
      ['Link', 'ETag'],
      ['Retry-After'],
      ['ETag'],
    ]);
    expect(replies[5]?.headers.get('Link')).toEqual(replies[0]?.headers.get('Link') ?? '');
  });
});

/** Headers that only some replies have. */
const OWN = [
  ...['Link', 'Allow', 'Deprecation', 'WWW-Authenticate', 'Retry-After', 'ETag'],
  'Access-Control-Allow-Origin',
];
