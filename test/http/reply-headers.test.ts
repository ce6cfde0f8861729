import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../src/core/plans.ts';
import { ManualClock, TestService } from '../support/harness.ts';

describe('every reply of the API', () => {
  test('may be neither stored nor guessed at by a browser', async () => {
    await using service = await TestService.start({ clock: new ManualClock() });
    const limits = { perMinute: 6, perDay: 100 };
    const { secret: key } = await service.account(subscribe('enterprise', limits));
    const replies = [
      await service.request('/openapi.json'),
      await service.request('/pets'),
      await service.request('/pets', { key }),
      await service.request('/pets', { key, method: 'HEAD' }),
      await service.request('/pets', { key, method: 'OPTIONS' }),
      await service.post(key, { name: 'Biscuit', categoryId: 7 }),
      await service.post(key, {}),
      await service.request('/nothing', { key }),
      await service.request('/pets', { key }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([
      200, 401, 200, 200, 204, 201, 400, 404, 429,
    ]);
    for (const { headers } of replies) {
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('Cache-Control')).toBe('no-store');
    }
  });
});
