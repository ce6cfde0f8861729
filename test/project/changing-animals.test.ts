import { afterAll, expect, test } from 'bun:test';
import { eventually } from '../support/harness.ts';
import { hasPostgres } from '../support/postgres-server.ts';
import { hasRedis, RedisServer } from '../support/redis-server.ts';
import {
  callsTo,
  Databases,
  describeRecipe,
  type Engine,
  expectLimits,
  problemOf,
  withService,
} from './recipe-copy.ts';

const databases = new Databases();
afterAll(() => databases[Symbol.asyncDispose]());

const SOLD = { id: 1, name: 'Rex', categoryId: 7, status: 'sold' };
const NEIGHBOUR = { id: 2, name: 'Tom', categoryId: 7, status: 'available' };

describeRecipe('changing-animals.md', { files: 7, lines: 69 }, (copy) => {
  test('adds the operation to the OpenAPI document', async () => {
    const { paths } = JSON.parse(await copy.petstore({}, 'openapi'));
    const { operationId, responses } = paths['/pets/{petId}'].patch;
    expect(operationId).toBe('updatePet');
    const stable = JSON.parse(await copy.petstore({ PETSTORE_STABILITY: 'stable' }, 'openapi'));
    expect(stable.paths['/pets/{petId}'].patch).toBeUndefined();
    expect(Object.keys(stable.components.schemas)).not.toContain('PetUpdate');
    const statuses = ['200', '400', '401', '404', '413', '429', '500', '503'];
    expect(Object.keys(responses)).toEqual(statuses);
    const { examples } = responses['400'].content['application/json'];
    expect(examples.invalid_body.value.message).toBe('Send at least one of: name, status.');
  });

  test.skipIf(!hasPostgres)('changes animals on PostgreSQL', () => changesAnimals('PostgreSQL'));
  test('changes animals on SQLite', () => changesAnimals('SQLite'));

  async function changesAnimals(engine: Engine): Promise<void> {
    await withService(copy, await databases.create(engine), async (scene) => {
      const { call, keys } = scene;
      const change = (path: string, body: unknown) => call(keys.shop, 'PATCH', path, body);
      const read = async (path: string) => (await call(keys.shop, 'GET', path)).json();
      for (const name of ['Rex', 'Tom', 'Kim']) {
        await call(keys.shop, 'POST', '/pets', { name, categoryId: 7 });
      }
      // A full page, which is cached.
      expect(await read('/pets?limit=2')).toEqual([{ ...SOLD, status: 'available' }, NEIGHBOUR]);

      const reply = await change('/pets/1', { status: 'sold' });
      expect([reply.status, await reply.json()]).toEqual([200, SOLD]);
      expect(await read('/pets?limit=2')).toEqual([SOLD, NEIGHBOUR]);
      expect(await read('/pets?status=sold')).toEqual([SOLD]);
      expect(await read('/pets/1')).toEqual(SOLD);
      await change('/pets/2', { name: 'Tim', status: 'pending' });
      expect(await read('/pets/2')).toEqual({ ...NEIGHBOUR, name: 'Tim', status: 'pending' });

      const refused = async (body: unknown) => {
        const { status, message } = await problemOf(await change('/pets/1', body));
        expect(status).toBe(400);
        return message;
      };
      expect(await refused({})).toBe('Send at least one of: name, status.');
      expect(await refused({ state: 'sold' })).toBe(
        '"state" is not a field here. Use: name, status.',
      );
      expect(await refused({ name: ' ' })).toMatch(/^"name" must be a string of 1 to 255/);
      for (const id of ['42', '9223372036854775807', 'Rex']) {
        const unknown = await change(`/pets/${id}`, { status: 'sold' });
        expect(await problemOf(unknown)).toMatchObject({ status: 404, code: 'pet_not_found' });
      }
      await expectLimits(scene, 'PATCH', '/pets/1');
    });
  }

  test.skipIf(!hasPostgres || !hasRedis)('drops the pages of other processes', async () => {
    await using redis = await RedisServer.start();
    const settings = { ...(await databases.create('PostgreSQL')), ...redis.settings };
    await withService(copy, settings, async ({ call, keys, serve }) => {
      await using other = await serve();
      const readThere = async () =>
        (await callsTo(other)(keys.other, 'GET', '/pets?limit=1')).json();
      for (const name of ['Rex', 'Tom']) {
        await call(keys.shop, 'POST', '/pets', { name, categoryId: 7 });
      }
      expect(await readThere()).toEqual([{ ...SOLD, status: 'available' }]);
      await call(keys.shop, 'PATCH', '/pets/1', { status: 'sold' });
      await eventually(async () => Bun.deepEquals(await readThere(), [SOLD]), 60_000, 1_000);
    });
  });
});
