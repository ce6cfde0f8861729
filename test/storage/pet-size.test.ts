import { expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { newId } from '../../src/core/ids.ts';
import { samplePet } from '../../src/core/pets/sample-pets.ts';
import { openDatabase } from '../../src/storage/sqlite/database.ts';
import { ENVIRONMENT_SCHEMA } from '../../src/storage/sqlite/migrations.ts';
import { columnsOf } from '../../src/storage/sqlite/pet-columns.ts';
import { environmentWrites } from '../../src/storage/sqlite/pet-writes.ts';
import { temporaryFolder } from '../support/harness.ts';

const PETS = 20_000;

/** The size of a file with these pets, indexes included, in bytes per pet. */
function bytesPerPet(path: string, ownerOf: (index: number) => string | undefined): number {
  const database = openDatabase(path, ENVIRONMENT_SCHEMA);
  const pets = Array.from({ length: PETS }, (_, index) =>
    columnsOf({ ...samplePet(index), owner: ownerOf(index) }),
  );
  database.transaction(() => environmentWrites.importPets(database, pets))();
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  return statSync(path).size / PETS;
}

test('an owner takes at most 20 bytes of a stored animal', () => {
  using folder = temporaryFolder();
  const accounts = Array.from({ length: 100 }, (_, index) => newId('acct', index));
  const owned = bytesPerPet(`${folder.path}/owned.db`, (index) => accounts[index % 100]);
  const ofNobody = bytesPerPet(`${folder.path}/nobody.db`, () => undefined);
  expect(owned - ofNobody).toBeWithin(16, 20);
  // 53 bytes before animals had owners.
  expect(owned).toBeLessThan(53 + 20);
  expect(ofNobody).toBeLessThan(53 + 4);
});
