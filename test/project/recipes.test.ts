import { afterAll, expect, test } from 'bun:test';
import { ambiguousNames } from '../http/openapi-document.ts';
import { hasPostgres } from '../support/postgres-server.ts';
import {
  type Call,
  Databases,
  describeRecipe,
  type Engine,
  expectLimits,
  problemOf,
  withService,
} from './recipe-copy.ts';

const databases = new Databases();
afterAll(() => databases[Symbol.asyncDispose]());

describeRecipe('adding-an-operation.md', { files: 6, lines: 56 }, (copy) => {
  test('adds the operation to the OpenAPI document', async () => {
    const { paths } = JSON.parse(await copy.petstore({}, 'openapi'));
    const { operationId, parameters, responses } = paths['/pets/count'].get;
    expect(operationId).toBe('countPets');
    expect(parameters[1].schema).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 10_000,
      default: 1_000,
    });
    expect(Object.keys(responses)).toEqual(['200', '400', '401', '429', '500', '503']);
  });

  test.skipIf(!hasPostgres)('counts pets on PostgreSQL', () => countsPets('PostgreSQL'));
  test('counts pets on SQLite', () => countsPets('SQLite'));

  async function countsPets(engine: Engine): Promise<void> {
    await withService(copy, await databases.create(engine), async (scene) => {
      const { call, keys } = scene;
      const key = keys.shop;
      for (const status of ['available', 'sold', 'sold']) {
        await call(key, 'POST', '/pets', { name: 'Rex', categoryId: 7, status });
      }
      const counts = ['', '?status=sold', '?status=pending', '?max=2', '?max=3'].map((query) =>
        call(key, 'GET', `/pets/count${query}`).then((reply) => reply.json()),
      );
      expect(await Promise.all(counts)).toEqual([
        { count: 3, complete: true },
        { count: 2, complete: true },
        { count: 0, complete: true },
        { count: 2, complete: false },
        { count: 3, complete: true },
      ]);
      for (const max of ['0', '10001', '1.5', 'many']) {
        expect(await problemOf(await call(key, 'GET', `/pets/count?max=${max}`))).toEqual({
          status: 400,
          code: 'invalid_parameter',
          message: 'The parameter "max" must be a whole number from 1 to 10000.',
        });
      }
      await expectLimits(scene, 'GET', '/pets/count');
    });
  }
});

interface VisitBody {
  readonly id: string;
  readonly petId: number;
  readonly visitors: number;
  readonly createdAt: string;
}

describeRecipe('adding-a-resource.md', { files: 9, lines: 170 }, (copy) => {
  test('adds the operations and schemas to the OpenAPI document', async () => {
    const { paths, components, tags } = JSON.parse(await copy.petstore({}, 'openapi'));
    expect(paths['/visits'].post.operationId).toBe('createVisit');
    expect(paths['/visits/{visitId}'].get.operationId).toBe('getVisit');
    expect(ambiguousNames(components.schemas)).toEqual([]);
    expect(components.schemas.VisitRequest.properties.visitors).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 100,
    });
    expect(components.schemas.KnownErrorCode.enum).toContain('visit_not_found');
    expect(tags.map(({ name }: { name: string }) => name)).toContain('Visits');
  });

  test.skipIf(!hasPostgres)('stores visits on PostgreSQL', () => storesVisits('PostgreSQL'));
  test('stores visits on SQLite', () => storesVisits('SQLite'));

  async function storesVisits(engine: Engine): Promise<void> {
    await withService(copy, await databases.create(engine), async (scene) => {
      const { call, keys } = scene;
      const key = keys.shop;
      await call(key, 'POST', '/pets', { name: 'Rex', categoryId: 7 });

      const created = await call(key, 'POST', '/visits', { petId: 1, visitors: 100 });
      const visit: VisitBody = await created.json();
      expect(created.headers.get('Location')).toEndWith(`/v1/visits/${visit.id}`);
      expect(created.status).toBe(201);
      expect(visit).toEqual({
        id: expect.stringMatching(/^vis_[0-9a-f]{32}$/),
        petId: 1,
        visitors: 100,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      });
      const found = await call(key, 'GET', `/visits/${visit.id}`);
      expect(await found.json()).toEqual(visit);

      for (const visitors of [0, 101, 1.5, 'one']) {
        const refused = await call(key, 'POST', '/visits', { petId: 1, visitors });
        expect(await problemOf(refused)).toEqual({
          status: 400,
          code: 'invalid_body',
          message: '"visitors" must be an integer from 1 to 100.',
        });
      }
      const unknownPet = await call(key, 'POST', '/visits', { petId: 42, visitors: 1 });
      expect(await problemOf(unknownPet)).toMatchObject({ status: 404, code: 'pet_not_found' });
      const foreign = await call(keys.other, 'GET', `/visits/${visit.id}`);
      expect(await problemOf(foreign)).toMatchObject({ status: 404, code: 'visit_not_found' });
      await expectLimits(scene, 'GET', `/visits/${visit.id}`);

      await scene.petstore('reset', '--environment', 'staging', '--yes');
      expect(await (await call(key, 'GET', `/visits/${visit.id}`)).json()).toEqual(visit);
      await scene.petstore('reset', '--environment', 'production', '--yes');
      const reset = await call(key, 'GET', `/visits/${visit.id}`);
      expect(await problemOf(reset)).toMatchObject({ status: 404, code: 'visit_not_found' });
    });
  }
});

describeRecipe(
  'adding-a-list.md',
  { files: 5, lines: 74, base: 'adding-a-resource.md' },
  (copy) => {
    test('adds the operation to the OpenAPI document', async () => {
      const { paths } = JSON.parse(await copy.petstore({}, 'openapi'));
      const { parameters, responses, ...listed } = paths['/visits'].get;
      expect(listed).toMatchObject({
        operationId: 'listVisits',
        'x-pagination': { style: 'cursor' },
      });
      expect(parameters.map(({ name }: { name: string }) => name)).toEqual(['limit', 'after']);
      expect(Object.keys(responses['200'].headers)).toContain('Link');
    });

    test.skipIf(!hasPostgres)('lists visits on PostgreSQL', () => listsVisits('PostgreSQL'));
    test('lists visits on SQLite', () => listsVisits('SQLite'));

    async function listsVisits(engine: Engine): Promise<void> {
      await withService(copy, await databases.create(engine), async (scene) => {
        const { call, keys } = scene;
        await call(keys.shop, 'POST', '/pets', { name: 'Rex', categoryId: 7 });
        const visit = async (key: string): Promise<VisitBody> =>
          (await call(key, 'POST', '/visits', { petId: 1, visitors: 1 })).json();
        const planned: VisitBody[] = [];
        for (let count = 0; count < 5; count++) planned.push(await visit(keys.shop));
        await visit(keys.other);

        expect(await pagesOf(call, keys.shop, '?limit=2')).toEqual([
          planned.slice(0, 2),
          planned.slice(2, 4),
          planned.slice(4),
        ]);
        expect(await pagesOf(call, keys.shop, '?limit=5')).toEqual([planned]);
        expect(await pagesOf(call, keys.shop, `?after=${planned[3]?.id}`)).toEqual([
          planned.slice(4),
        ]);
        for (const after of ['%00', '1', 'vis_', 'pet_1']) {
          const refused = await call(keys.shop, 'GET', `/visits?after=${after}`);
          expect(await problemOf(refused)).toMatchObject({
            status: 400,
            code: 'invalid_parameter',
          });
        }
        await expectLimits(scene, 'GET', '/visits');
      });
    }
  },
);

/** The pages of visits, read by the `Link` headers. */
async function pagesOf(call: Call, key: string, query: string): Promise<VisitBody[][]> {
  const pages: VisitBody[][] = [];
  for (let path: string | undefined = `/visits${query}`; path !== undefined; ) {
    const reply = await call(key, 'GET', path);
    pages.push(await reply.json());
    path = /^<[^>]*(\/visits\?[^>]*)>; rel="next"$/.exec(reply.headers.get('Link') ?? '')?.[1];
  }
  return pages;
}
