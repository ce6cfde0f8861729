import { describe, expect, test } from 'bun:test';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import type { PetStore } from '../../src/core/pets/pet-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { readyz } from '../support/readyz.ts';
import { REUSED_THREADS } from '../support/reused-threads.ts';
import { onFolder } from '../support/storage.ts';
import { unpackFolder } from './earlier-store-scene.ts';
import { asOfEarlierBoot, BLOCK, flipByte } from './killed-service.ts';
import { account, at, pet } from './ports/backend.ts';

/** The highest id that was assigned in the folders below. */
const HIGHEST = 5;

async function openPets(path: string) {
  const stores = await openStores(readConfig(onFolder(path)), systemClock, REUSED_THREADS);
  return {
    pets: stores.environment('production').pets,
    [Symbol.asyncDispose]: () => stores.close(),
  };
}

async function nextId(path: string): Promise<number> {
  await using opened = await openPets(path);
  return add(opened.pets);
}

async function add(pets: PetStore): Promise<number> {
  const outcome = await pets.create(pet('Rex'), at());
  if (outcome.kind !== 'created') throw new Error(outcome.kind);
  return outcome.pet.id;
}

async function deleteFrom(pets: PetStore, first: number): Promise<void> {
  for (let id = first; id <= HIGHEST; id += 1) {
    expect(await pets.delete({ id, accountId: 'acct_1' })).toEqual({ kind: 'deleted' });
  }
}

/**
 * A folder whose newest pets, or all of them, were deleted.
 * @param end `killed`: as a service leaves it that is killed right after the deletion.
 */
async function withoutNewest(first: number, end: 'closed' | 'killed' = 'closed') {
  const root = temporaryFolder();
  const [served, path] = [join(root.path, 'served'), join(root.path, 'data')];
  const opened = await openPets(served);
  for (let id = 1; id <= HIGHEST; id += 1) expect(await add(opened.pets)).toBe(id);
  await deleteFrom(opened.pets, first);
  if (end === 'killed') cpSync(served, path, { recursive: true, filter: isFile });
  await opened[Symbol.asyncDispose]();
  if (end === 'closed') cpSync(served, path, { recursive: true, filter: isFile });
  rmSync(served, { recursive: true });
  const file = (name: string) => join(path, name);
  return { path, file, root: root.path, [Symbol.dispose]: () => root[Symbol.dispose]() };
}

function isFile(path: string): boolean {
  return !path.endsWith('.sock');
}

async function expectSound(path: string): Promise<void> {
  expect(await runCommand(['store', 'check'], onFolder(path))).toMatchObject({ code: 0 });
  await using service = await ServiceProcess.start(onFolder(path));
  expect(await readyz(service)).toMatchObject({ status: 200 });
}

const WHICH = { 'the newest pets were': 3, 'all pets were': 1 };

describe.each(Object.entries(WHICH))('after %s deleted', (_, first) => {
  test('nothing is reported after a restart, and no id is assigned again', async () => {
    using folder = await withoutNewest(first);
    await expectSound(folder.path);
    expect(await nextId(folder.path)).toBe(HIGHEST + 1);
    expect(await nextId(folder.path)).toBe(HIGHEST + 2);
  });

  test('nothing is reported after a kill, and no id is assigned again', async () => {
    using folder = await withoutNewest(first, 'killed');
    await expectSound(folder.path);
    expect(await nextId(folder.path)).toBe(HIGHEST + 1);
  });

  test('no id is assigned again where it is unknown which were', async () => {
    const unknowns = [
      ({ file }: { file: (name: string) => string }) => asOfEarlierBoot(file('production.ids')),
      ({ file }: { file: (name: string) => string }) => rmSync(file('production.ids')),
      ({ file }: { file: (name: string) => string }) => flipByte(file('production.ids'), () => 14),
    ];
    for (const change of unknowns) {
      using folder = await withoutNewest(first, 'killed');
      change(folder);
      await expectSound(folder.path);
      expect(await nextId(folder.path)).toBe(BLOCK + 1);
      expect(await nextId(folder.path)).toBe(BLOCK + 2);
    }
  });

  test('other processes assign no id again, neither at the same time nor later', async () => {
    using folder = await withoutNewest(first);
    await using one = await openPets(folder.path);
    await using other = await openPets(folder.path);
    expect([await add(one.pets), await add(other.pets), await add(one.pets)]).toEqual([6, 7, 8]);
    for (const id of [8, 7, 6]) await one.pets.delete({ id, accountId: 'acct_1' });
    expect([await add(other.pets), await add(one.pets)]).toEqual([9, 10]);
    await runCommand(['seed', '--pets', '2'], onFolder(folder.path));
    expect(await add(one.pets)).toBe(13);
  });

  test('a restore elsewhere goes on after the deleted ones of the backup', async () => {
    using folder = await withoutNewest(first);
    const backup = join(folder.root, 'pets.backup');
    const elsewhere = join(folder.root, 'elsewhere');
    expect(await runCommand(['backup', backup], onFolder(folder.path))).toMatchObject({ code: 0 });
    expect(await runCommand(['restore', backup], onFolder(elsewhere))).toMatchObject({ code: 0 });
    await expectSound(elsewhere);
    expect(await nextId(elsewhere)).toBe(HIGHEST + 1);
  });

  test('a restore into the same folder goes on after those that were deleted since', async () => {
    using folder = await withoutNewest(HIGHEST + 1);
    const backup = join(folder.root, 'pets.backup');
    expect(await runCommand(['backup', backup], onFolder(folder.path))).toMatchObject({ code: 0 });
    {
      await using opened = await openPets(folder.path);
      expect(await add(opened.pets)).toBe(HIGHEST + 1);
      await opened.pets.delete({ id: HIGHEST + 1, accountId: 'acct_1' });
      await deleteFrom(opened.pets, first);
    }
    // The database is asked, too, in case its record is lost.
    rmSync(folder.file('production.ids'));
    const restored = await runCommand(['restore', backup, '--replace'], onFolder(folder.path));
    expect(restored).toMatchObject({ code: 0 });
    await expectSound(folder.path);
    expect(await nextId(folder.path)).toBeGreaterThan(HIGHEST + 1);
  });

  test('a manifest that is made anew goes on after them', async () => {
    using folder = await withoutNewest(first);
    for (const name of ['store.json', 'production.ids']) rmSync(folder.file(name));
    const made = await runCommand(['store', 'recreate', 'store.json'], onFolder(folder.path));
    expect(made).toMatchObject({ code: 0 });
    await expectSound(folder.path);
    expect(await nextId(folder.path)).toBeGreaterThan(HIGHEST);
  });

  test('a reset of the environment begins at 1 again, also after a restart', async () => {
    using folder = await withoutNewest(first);
    const reset = ['reset', '--environment', 'production', '--yes'];
    expect(await runCommand(reset, onFolder(folder.path))).toMatchObject({ code: 0 });
    await expectSound(folder.path);
    expect(await nextId(folder.path)).toBe(1);
    expect(await nextId(folder.path)).toBe(2);
  });
});

test('ids that continue after a restore go on after it when all pets are deleted', async () => {
  using folder = await withoutNewest(HIGHEST + 1, 'killed');
  asOfEarlierBoot(folder.file('production.ids'));
  {
    await using opened = await openPets(folder.path);
    expect(await add(opened.pets)).toBe(BLOCK + 1);
    await opened.pets.delete({ id: BLOCK + 1, accountId: 'acct_1' });
    await deleteFrom(opened.pets, 1);
    expect(await add(opened.pets)).toBe(BLOCK + 2);
  }
  expect(await nextId(folder.path)).toBe(BLOCK + 3);
});

test('a database of an earlier release, which keeps no ids of deleted pets, is restored and read', async () => {
  await using earlier = await unpackFolder();
  const { folder: path } = earlier;
  using root = temporaryFolder();
  const [backup, elsewhere] = [join(root.path, 'pets.backup'), join(root.path, 'elsewhere')];
  const highest = 132;
  expect(await runCommand(['backup', backup], onFolder(path))).toMatchObject({ code: 0 });
  expect(await runCommand(['restore', backup], onFolder(elsewhere))).toMatchObject({ code: 0 });
  await expectSound(elsewhere);
  expect(await nextId(elsewhere)).toBe(highest + 1);
  const replaced = await runCommand(['restore', backup, '--replace'], onFolder(path));
  expect(replaced).toMatchObject({ code: 0 });
  expect(await nextId(path)).toBeGreaterThan(highest);
});

test('owners are in a backup, and a restore brings them back', async () => {
  using root = temporaryFolder();
  const [path, elsewhere] = [join(root.path, 'data'), join(root.path, 'elsewhere')];
  const owner = await ownerIn(path);
  {
    await using opened = await openPets(path);
    await opened.pets.import([{ ...pet('Rex'), owner }, pet('Stray')]);
  }
  const backup = join(root.path, 'pets.backup');
  expect(await runCommand(['backup', backup], onFolder(path))).toMatchObject({ code: 0 });
  expect(await runCommand(['restore', backup], onFolder(elsewhere))).toMatchObject({ code: 0 });
  await using opened = await openPets(elsewhere);
  const remove = async (id: number, accountId: string) =>
    (await opened.pets.delete({ id, accountId })).kind;
  expect([await remove(1, 'acct_other'), await remove(2, 'acct_other')]).toEqual([
    'not_owner',
    'deleted',
  ]);
  expect(await remove(1, owner)).toBe('deleted');
});

async function ownerIn(path: string): Promise<string> {
  const stores = await openStores(readConfig(onFolder(path)), systemClock, REUSED_THREADS);
  try {
    return (await account(stores)).id;
  } finally {
    await stores.close();
  }
}
