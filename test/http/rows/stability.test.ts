import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PARTS } from '../../../src/config/config.ts';
import { STABILITIES, type Stability } from '../../../src/core/stability.ts';
import { TestService } from '../../support/harness.ts';
import { ToolClient } from '../../support/mcp.ts';
import { WITH_SHELTERS } from './shelters.ts';

const BETA = 'Beta: an incompatible change is announced 90 days before';
const EXPERIMENTAL = 'Experimental: it may change in any release.';

/** A service with its texts, for each level. */
interface Served {
  readonly service: TestService;
  readonly key: string;
}

const levels = new Map<Stability, Served>();

beforeAll(async () => {
  for (const level of STABILITIES) {
    const settings = { PETSTORE_STABILITY: level };
    const service = await TestService.start({ resources: WITH_SHELTERS, parts: PARTS, settings });
    levels.set(level, { service, key: (await service.account()).secret });
  }
});
afterAll(async () => {
  for (const { service } of levels.values()) await service[Symbol.asyncDispose]();
});

function at(level: Stability): Served {
  const served = levels.get(level);
  if (!served) throw new Error(`There is no service at ${level}.`);
  return served;
}

async function textOf(level: Stability, path: string): Promise<string> {
  return (await fetch(at(level).service.dashboardUrl + path)).text();
}

async function documentOf(level: Stability) {
  return (await at(level).service.request('/openapi.json')).json();
}

describe('an operation that is beta or experimental', () => {
  test('says so on every reply, also to pages of other origins', async () => {
    const { service, key } = at('experimental');
    const path = '/shelters/7';
    const replies = [
      await service.request(path, { key }),
      await service.request(path, { key, method: 'HEAD' }),
      await service.request(`${path}?size=0`, { key }),
      await service.request('/shelters/Rex', { key }),
      await service.request(path),
      await service.request(path, { key, method: 'DELETE' }),
      await service.request('/pets', { key }),
    ];
    expect(
      replies.map(({ status, headers }) => [status, headers.get('Petstore-Stability')]),
    ).toEqual([
      [200, 'beta'],
      [200, 'beta'],
      [400, 'beta'],
      [404, 'beta'],
      [401, 'beta'],
      [204, 'experimental'],
      [200, null],
    ]);
    const headers = { Origin: 'https://example.com' };
    const crossOrigin = await service.request(path, { key, headers });
    expect(crossOrigin.headers.get('Access-Control-Expose-Headers')).toContain(
      'Petstore-Stability',
    );
  });

  test('says so in the OpenAPI document', async () => {
    const { paths } = await documentOf('experimental');
    const { get, delete: closed } = paths['/shelters/{shelterId}'];
    expect(get).toMatchObject({ 'x-stability': 'beta' });
    expect(get).not.toHaveProperty('x-scalar-stability');
    expect(get.description).toContain(BETA);
    expect(closed).toMatchObject({
      'x-stability': 'experimental',
      'x-scalar-stability': 'experimental',
    });
    for (const response of Object.values<{ headers: object }>(closed.responses)) {
      expect(Object.keys(response.headers)).toContain('Petstore-Stability');
    }
    expect(paths['/pets'].get).not.toHaveProperty('x-stability');
  });

  test('says so in the reference, its texts and the search', async () => {
    const page = await textOf('experimental', '/docs/operations/getShelter');
    expect(page).toContain(BETA);
    expect(page).toContain('<span class="mark mark-beta">beta</span>');
    expect(await textOf('experimental', '/docs')).toContain(
      '<span class="mark mark-experimental">experimental</span>',
    );
    for (const path of ['/reference.md', '/llms.txt']) {
      const text = await textOf('experimental', path);
      expect(text).toContain(BETA);
      expect(text).toContain(EXPERIMENTAL);
    }
    expect(await textOf('experimental', '/docs/guides/stability.md')).toMatch(
      /getShelter.*\| beta \|[\s\S]*closeShelter.*\| experimental \|/,
    );
    expect(await textOf('experimental', '/docs/search?q=experimental')).toContain('closeShelter');
  });

  test('says so in the description of its tool', async () => {
    const { service, key } = at('experimental');
    await using tools = await ToolClient.overHttp(service.dashboardUrl, key);
    const listed = new Map(
      (await tools.client.listTools()).tools.map(({ name, description }) => [name, description]),
    );
    expect(listed.get('getShelter')).toContain(BETA);
    expect(listed.get('closeShelter')).toContain(EXPERIMENTAL);
    expect(listed.get('listPets')).not.toContain(BETA);
  });
});

describe('PETSTORE_STABILITY', () => {
  test.each([
    ['experimental', ['getShelter', 'closeShelter', 'messageShelter']],
    ['beta', ['getShelter']],
    ['stable', []],
  ] as const)('%s serves %j, and the others are absent everywhere', async (level, served) => {
    const { service, key } = at(level);
    const { paths, components, tags } = await documentOf(level);
    const documented = Object.values<object>(paths).flatMap((path) =>
      Object.values<{ operationId: string }>({ ...path }).map(({ operationId }) => operationId),
    );
    expect(documented.filter((id) => id.includes('Shelter'))).toEqual([...served]);
    expect('Message' in components.schemas).toBe(level === 'experimental');
    const hasTag = tags.some(({ name }: { name: string }) => name === 'Shelters');
    expect(hasTag).toBe(served.length > 0);

    await using tools = await ToolClient.overHttp(service.dashboardUrl, key);
    const names = (await tools.client.listTools()).tools.map(({ name }) => name);
    expect(names.filter((id) => id.includes('Shelter'))).toEqual([...served]);
    for (const path of ['/docs', '/reference.md', '/llms.txt', '/docs/guides/stability.md']) {
      const text = await textOf(level, path);
      for (const id of ['getShelter', 'closeShelter', 'messageShelter'] as const) {
        const isShown = path === '/docs' ? text.includes(`/${id}"`) : text.includes(id);
        expect([path, id, isShown]).toEqual([path, id, served.some((each) => each === id)]);
      }
    }
    const { status } = await fetch(`${service.dashboardUrl}/docs/operations/closeShelter`);
    expect(status).toBe(level === 'experimental' ? 200 : 404);
  });

  test('leaves no route: 405 on a path that remains, 404 on one that does not', async () => {
    const statuses = async (level: Stability, method: string, path: string) => {
      const { service, key } = at(level);
      const { status, headers } = await service.request(path, { key, method });
      return [status, headers.get('Allow')];
    };
    expect(await statuses('experimental', 'DELETE', '/shelters/7')).toEqual([204, null]);
    expect(await statuses('beta', 'DELETE', '/shelters/7')).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(await statuses('stable', 'DELETE', '/shelters/7')).toEqual([404, null]);
    expect(await statuses('stable', 'GET', '/shelters/7')).toEqual([404, null]);
    expect(await statuses('beta', 'POST', '/shelters')).toEqual([404, null]);
  });

  test('drops links to operations that are not served', async () => {
    const linksOf = async (level: Stability) =>
      (await documentOf(level)).paths['/shelters/{shelterId}'].get.responses['200'].links;
    expect(Object.keys(await linksOf('experimental'))).toEqual(['closed']);
    expect(Object.keys((await linksOf('beta')) ?? {})).toEqual([]);
  });

  test('must be one of the levels', async () => {
    const settings = { PETSTORE_STABILITY: 'alpha' };
    expect(TestService.start({ settings })).rejects.toThrow(
      'PETSTORE_STABILITY must be one of stable, beta, experimental, not "alpha".',
    );
  });
});
