import { afterAll, beforeAll, describe } from 'bun:test';
import { allSuites } from '../storage/ports/all-suites.ts';
import { openPostgresBackend } from '../storage/ports/postgres-backend.ts';
import { hasPostgres, PostgresServer } from '../support/postgres-server.ts';

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  allSuites(() => openPostgresBackend(server));
});
