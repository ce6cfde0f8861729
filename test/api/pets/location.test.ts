import { describe, expect, test } from 'bun:test';
import { ENVIRONMENTS } from '../../../src/core/environments.ts';
import { sharedService } from '../../support/shared-service.ts';

const shared = sharedService();

describe('the reply to a creation', () => {
  test.each(ENVIRONMENTS)('has its address as Location, in %s', async (environment) => {
    const service = shared();
    const { secret: key } = await service.account(undefined, environment);
    for (const categoryId of ['7', '9223372036854775807']) {
      const body = `{"name":"Rex","categoryId":${categoryId}}`;
      const created = await service.request('/pets', {
        ...{ key, environment, method: 'POST', body },
        headers: { 'Content-Type': 'application/json', Origin: 'https://shop.example' },
      });
      const { id } = await created.json();
      expect(created.headers.get('Location')).toBe(`${service.url(environment)}/pets/${id}`);
      expect(created.headers.get('Access-Control-Expose-Headers')).toContain('Location');
      expect((await service.request(`/pets/${id}`, { key, environment })).ok).toBeTrue();
    }
  });

  test('is the only one with this Location: neither other replies nor errors have one', async () => {
    const service = shared();
    const { secret: key } = await service.account();
    const created = await service.post(key, { name: 'Rex', categoryId: 7 });
    const { id } = await created.json();
    expect(created.headers.has('Location')).toBeTrue();
    const others = [
      await service.request('/pets', { key }),
      await service.request(`/pets/${id}`, { key }),
      await service.change(key, 'PATCH', `/pets/${id}`, { status: 'sold' }),
      await service.post(key, {}),
      await service.change(key, 'DELETE', `/pets/${id}`),
    ];
    expect(others.map(({ headers }) => headers.get('Location'))).toEqual(Array(5).fill(null));
  });
});
