import type { Database } from 'bun:sqlite';

/** A view rather than a table: the schema stays the one that earlier releases can open, too. */
const VIEW = 'store_identity';

/** What a database is part of. */
export interface Identity {
  /** The id of the store, a UUID. */
  readonly id: string;
  /** Its file name in the store. */
  readonly file: string;
}

/** The identity of a database; `undefined` before it was given one. */
export function findIdentity(database: Database): Partial<Identity> | undefined {
  const views = database.query("SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = ?");
  if (!views.get(VIEW)) return undefined;
  return database.query<Partial<Identity>, []>(`SELECT * FROM ${VIEW}`).get() ?? undefined;
}

/** Makes a database part of a store. */
export function setIdentity(database: Database, { id, file }: Identity): void {
  const replace = database.transaction(() => {
    database.run(`DROP VIEW IF EXISTS ${VIEW}`);
    database.run(`CREATE VIEW ${VIEW} AS SELECT '${id}' AS id, '${file}' AS file`);
  });
  replace.immediate();
}
