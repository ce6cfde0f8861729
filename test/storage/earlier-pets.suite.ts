import { expect, test } from 'bun:test';
import { type EarlierStore, EarlierStoreScene, type StoreCopy } from './earlier-store-scene.ts';

/** Changes of the pets of an earlier release, which belong to nobody; each test opens its own copy. */
export function earlierPetsSuite(expected: EarlierStore, copy: () => Promise<StoreCopy>): void {
  const { keys } = expected;

  test('lets anyone change and delete its pets', async () => {
    await using it = await EarlierStoreScene.open(expected, await copy());
    for (const key of [keys.live, keys.enterprise]) {
      const client = it.service.client(key);
      expect(await client.updatePet(5, { name: 'Renamed' })).toMatchObject({ name: 'Renamed' });
    }
    await it.service.client(keys.live).deletePet(132);
    expect(await it.service.client(keys.live).createPet({ name: 'Next', categoryId: 1 })).toEqual(
      expect.objectContaining({ id: 133 }),
    );
  });
}
