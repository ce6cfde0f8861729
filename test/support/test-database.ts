import { SQL } from 'bun';

const SERVER = process.env['PETSTORE_TEST_DATABASE_URL'];

/**
 * Settings that let services keep everything in PostgreSQL when PETSTORE_TEST_DATABASE_URL names a
 * database: each folder gets a schema of its own, which stays until the database goes.
 */
export async function testDatabaseFor(folder: string): Promise<Readonly<Record<string, string>>> {
  if (!SERVER) return {};
  const schema = `test_${Bun.hash(folder).toString(36)}`;
  const sql = new SQL({ url: SERVER, max: 1 });
  await sql.unsafe(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await sql.close({ timeout: 0 });
  return {
    PETSTORE_DATABASE_URL: `${SERVER}?search_path=${schema}`,
    PETSTORE_SECRET: 'a secret for tests only, of no other use',
  };
}
