// Creates a better-auth user for each key: bun hono-prepare.mjs AUTH_DATABASE KEYS
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getMigrations } from 'better-auth/db/migration';
import { openAuth } from './hono-auth.mjs';

const [file, keyFile] = process.argv.slice(2);
const { auth, database } = openAuth(file);
const { runMigrations } = await getMigrations(auth.options);
await runMigrations();

// The library makes the first user and key; copies of their rows make the others.
const { internalAdapter } = await auth.$context;
const first = await internalAdapter.createUser({ name: 'First', email: 'first@example.com' });
const issued = await auth.api.createApiKey({ body: { name: 'bench', userId: first.id } });
const user = database.query('SELECT * FROM user WHERE id = ?').get(first.id);
const key = database.query('SELECT * FROM apikey WHERE id = ?').get(issued.id);
if (key.key !== digest(issued.key))
  throw new Error('better-auth computes the digest of a key differently.');

database.transaction(() => {
  for (const [index, text] of readFileSync(keyFile, 'utf8').trim().split('\n').entries()) {
    const id = `user-${index}`;
    insert('user', { ...user, id, email: `person${index}@example.com` });
    insert('apikey', {
      ...key,
      id: `key-${index}`,
      key: digest(text),
      start: text.slice(0, 6),
      referenceId: id,
    });
  }
})();
database.close();

function insert(table, row) {
  const names = Object.keys(row);
  database
    .query(
      `INSERT INTO "${table}" (${names.map((name) => `"${name}"`)}) VALUES (${names.map(() => '?')})`,
    )
    .run(...Object.values(row));
}

function digest(text) {
  return createHash('sha256').update(text).digest('base64url');
}
