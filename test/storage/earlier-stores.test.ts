import { afterAll, beforeAll, describe } from 'bun:test';
import { hasPostgres, PostgresServer } from '../support/postgres-server.ts';
import { earlierPetsSuite } from './earlier-pets.suite.ts';
import { earlierStoreSuite } from './earlier-store.suite.ts';
import { loadDatabase, readExpected, type StoreCopy, unpackFolder } from './earlier-store-scene.ts';

describe('a data folder of an earlier release', () => {
  earlierStoreSuite(readExpected('data-folder'), unpackFolder);
  earlierPetsSuite(readExpected('data-folder'), unpackFolder);
});

describe.skipIf(!hasPostgres)('a PostgreSQL database of an earlier release', () => {
  const expected = readExpected('postgres');
  let server: PostgresServer;
  let copy: () => Promise<StoreCopy>;
  beforeAll(async () => {
    server = await PostgresServer.start();
    copy = await loadDatabase(server, expected.secret);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  earlierStoreSuite(expected, () => copy());
  earlierPetsSuite(expected, () => copy());
});
