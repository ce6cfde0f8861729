import { afterAll, expect, test } from 'bun:test';
import { hasPostgres } from '../support/postgres-server.ts';
import { Databases, describeRecipe, type Engine, problemOf, withService } from './recipe-copy.ts';

const databases = new Databases();
afterAll(() => databases[Symbol.asyncDispose]());

const PET = { name: 'Rex', categoryId: 7 };

describeRecipe('changing-a-resource.md', { files: 6, lines: 40 }, (copy) => {
  test('adds the field to the OpenAPI document', async () => {
    const { components } = JSON.parse(await copy.petstore({}, 'openapi'));
    const { Order, OrderRequest } = components.schemas;
    expect(Order.properties.note).toMatchObject({ type: 'string', maxLength: 255 });
    expect(OrderRequest.properties.note).toEqual(Order.properties.note);
    expect(Order.required).not.toContain('note');
  });

  test('stores and shows the field on SQLite', () => keepsNotes('SQLite'));
  test.skipIf(!hasPostgres)('stores and shows the field on PostgreSQL', () =>
    keepsNotes('PostgreSQL'),
  );

  async function keepsNotes(engine: Engine): Promise<void> {
    await withService(copy, await databases.create(engine), async ({ call, keys }) => {
      await call(keys.shop, 'POST', '/pets', PET);
      await call(keys.shop, 'POST', '/pets', PET);
      const send = async (method: string, path: string, body?: unknown) =>
        (await call(keys.shop, method, path, body)).json();

      const noted = await send('POST', '/store/orders', { petId: 1, note: 'Ring twice.' });
      expect(noted).toMatchObject({ id: 1, petId: 1, status: 'placed', note: 'Ring twice.' });
      const plain = await send('POST', '/store/orders', { petId: 2 });
      expect(plain).not.toHaveProperty('note');

      const approved = await send('PATCH', '/store/orders/1', { status: 'approved' });
      expect(approved).toMatchObject({ status: 'approved', note: 'Ring twice.' });
      expect(await send('GET', '/store/orders')).toEqual([approved, plain]);
      expect(await send('GET', '/store/orders/1')).toEqual(approved);

      const refused = await call(keys.shop, 'POST', '/store/orders', { petId: 1, note: ' ' });
      expect((await problemOf(refused)).message).toMatch(/^"note" must be a string of 1 to 255/);
    });
  }
});
