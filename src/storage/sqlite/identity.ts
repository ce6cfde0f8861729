import type { Database } from 'bun:sqlite';
import { basename } from 'node:path';
import { SetupError } from '../../core/errors.ts';

/** A view rather than a table, so that earlier releases can still open the database. */
const VIEW = 'store_identity';

/** The store that a database belongs to. */
export interface Identity {
  /** The id of the store, a UUID. */
  readonly id: string;
  /** Its file name in the store. */
  readonly file: string;
}

/** The identity of a database; `undefined` before one was assigned. */
export function findIdentity(database: Database): Partial<Identity> | undefined {
  const views = database.query("SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = ?");
  if (!views.get(VIEW)) return undefined;
  return database.query<Partial<Identity>, []>(`SELECT * FROM ${VIEW}`).get() ?? undefined;
}

/** Stores the identity in a database. */
export function setIdentity(database: Database, { id, file }: Identity): void {
  const replace = database.transaction(() => {
    database.run(`DROP VIEW IF EXISTS ${VIEW}`);
    database.run(`CREATE VIEW ${VIEW} AS SELECT '${id}' AS id, '${file}' AS file`);
  });
  replace.immediate();
}

/** The expected identity of a file. */
export interface ExpectedIdentity {
  /** The store that it must belong to. */
  readonly storeId?: string | undefined;
  /** Whether it must already have an identity; files of earlier releases do not have one yet. */
  readonly hasIdentity?: boolean;
}

/** @throws SetupError when the file at this path belongs to another store, or is another file of this one. */
export function refuseForeignIdentity(
  database: Database,
  path: string,
  { storeId, hasIdentity = false }: ExpectedIdentity,
): void {
  if (storeId === undefined) return;
  const identity = findIdentity(database);
  if (!identity && !hasIdentity) return;
  const { id, file = basename(path) } = identity ?? {};
  if (id === storeId && file === basename(path)) return;
  throw new SetupError(
    `${path} ${describe(id === storeId ? file : undefined, id)}. Put the right file back, or restore a backup (petstore restore FILE --replace).`,
  );
}

function describe(ownFile: string | undefined, id: string | undefined): string {
  if (ownFile !== undefined) return `is the ${ownFile} of this store`;
  return id === undefined
    ? 'belongs to no store: it is from an earlier release'
    : 'belongs to another store';
}
