import { SQL } from 'bun';

const SERVER = process.env['PETSTORE_TEST_DATABASE_URL'];
const server = SERVER === undefined ? undefined : new SQL({ url: SERVER, max: 1 });

/** A database with the current schema, used as a template: a copy costs less than migrating. */
export const TEMPLATE = 'migrated';

/** Makes a copy of the template. */
export const copyTo = (name: string) =>
  `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY file_copy`;

/**
 * Settings that make services store everything in PostgreSQL if PETSTORE_TEST_DATABASE_URL names a server
 * with the template. Each folder gets its own database, which exists as long as the server.
 */
export async function testDatabaseFor(folder: string): Promise<Readonly<Record<string, string>>> {
  if (!(SERVER && server)) return {};
  const name = `test_${Bun.hash(folder).toString(36)}`;
  const found = await server`SELECT 1 FROM pg_database WHERE datname = ${name}`;
  if (found.length === 0) await server.unsafe(copyTo(name));
  const url = new URL(SERVER);
  url.pathname = name;
  return {
    PETSTORE_DATABASE_URL: url.href,
    // Each connection costs the server CPU time.
    PETSTORE_DATABASE_CONNECTIONS: '3',
    PETSTORE_SECRET: 'a secret for tests only, of no other use',
  };
}
