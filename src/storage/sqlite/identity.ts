import type { Database } from 'bun:sqlite';

/** A view rather than a table: the schema stays the one that earlier releases can open, too. */
const VIEW = 'store_identity';

/** The id of the store that a database belongs to; `undefined` before it was given one. */
export function findStoreId(database: Database): string | undefined {
  const views = database.query("SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = ?");
  if (!views.get(VIEW)) return undefined;
  return database.query<{ id: string }, []>(`SELECT id FROM ${VIEW}`).get()?.id;
}

/** Makes a database part of a store. @param id a UUID. */
export function setStoreId(database: Database, id: string): void {
  const replace = database.transaction(() => {
    if (findStoreId(database) === id) return;
    database.run(`DROP VIEW IF EXISTS ${VIEW}`);
    database.run(`CREATE VIEW ${VIEW} AS SELECT '${id}' AS id`);
  });
  replace.immediate();
}
