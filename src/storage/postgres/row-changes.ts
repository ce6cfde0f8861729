import type { Environment } from '../../core/environments.ts';
import { chunks } from '../../lib/chunks.ts';
import type { NumberedBatch } from '../access.ts';
import {
  type Insertion,
  jsonOf,
  MARK_BATCH,
  type RowsStatement,
  valuesOf,
} from '../schema/row-statements.ts';
import type { PostgresDatabase, Statements } from './database.ts';
import { isOfMissingRow, repeatAfter } from './failures.ts';
import { type Queries, texts } from './queries.ts';
import { insertNew, literalValues } from './several-nodes.ts';

/** What a change for many rows belongs to. */
interface Context {
  /** For tables of which each environment has its own rows. */
  readonly environment?: Environment | undefined;
  /** The change is not made if this batch was added before. */
  readonly batch?: NumberedBatch | undefined;
}

/** How often rows are added if accounts to which they belong are deleted meanwhile; the next attempt leaves these out. */
const ATTEMPTS = { most: 5, pause: 0 };

/** Runs a change for many rows; see `Engine.runForRows`. */
export async function runForRows<Row>(
  database: PostgresDatabase,
  statement: RowsStatement<Row>,
  rows: readonly Row[],
  context: Context = {},
): Promise<number> {
  if (rows.length === 0) return 0;
  const work = () => changeRows(database, statement, rows, context);
  // Without a batch, an upsert on several nodes may have changed some of the rows.
  if (isUpsert(statement) && !context.batch) return work();
  return repeatAfter(isOfMissingRow, ATTEMPTS, work);
}

async function changeRows<Row>(
  database: PostgresDatabase,
  statement: RowsStatement<Row>,
  rows: readonly Row[],
  { environment, batch }: Context,
): Promise<number> {
  const saves = database.of('saves');
  const ofEnvironment = environment === undefined ? [] : [environment];
  const run = (queries: Queries) =>
    database.isDistributed && isUpsert(statement)
      ? upsertOnSeveralNodes(queries, statement, rows, ofEnvironment)
      : queries.run(statement.postgres, ...ofEnvironment, jsonOf(rows));
  if (batch) {
    const { source, number, hour } = batch;
    return saves.transaction(async (queries) => {
      const isNew = (await queries.run(MARK_BATCH.postgres, source, number, hour)) > 0;
      return isNew ? run(queries) : 0;
    });
  }
  const added = await insertNewRows(database, saves, statement, rows);
  return added ? rows.length : run(saves);
}

/** Inserts rows into a sharded database, unless one of them exists; see `insertNew`. */
export async function insertNewRows<Row>(
  { isDistributed }: PostgresDatabase,
  statements: Statements,
  statement: RowsStatement<Row>,
  rows: readonly Row[],
): Promise<boolean> {
  if (!isDistributed || !isInsertion(statement) || statement.parts.isUpsert) return false;
  const { into, given } = statement.parts;
  return insertNew(statements, `${into} ${given}`, jsonOf(rows));
}

function isInsertion<Row>(statement: RowsStatement<Row>): statement is Insertion<Row> {
  return 'parts' in statement;
}

function isUpsert<Row>(statement: RowsStatement<Row>): statement is Insertion<Row> {
  return isInsertion(statement) && statement.parts.isUpsert;
}

/** Upserts rows as literals; see `literalValues`. */
async function upsertOnSeveralNodes<Row>(
  queries: Queries,
  statement: Insertion<Row>,
  rows: readonly Row[],
  environment: readonly Environment[],
): Promise<number> {
  const { into, conflict, isOfAccounts } = statement.parts;
  const names: readonly string[] = statement.columns;
  const accountAt = isOfAccounts ? names.indexOf('account_id') : -1;
  const values = chunks(valuesOf(statement, rows), names.length);
  const known = accountAt < 0 ? values : await ofKnownAccounts(queries, values, accountAt);
  let changes = 0;
  // An upsert has no other columns without a value than counts.
  for (const some of chunks(known)) {
    const literals = literalValues(
      some.map((row) => [...environment, ...row.map((value) => value ?? 0)]),
    );
    changes += await queries.run(`${into} ${literals} ${conflict}`);
  }
  return changes;
}

/** The rows of accounts that exist. */
async function ofKnownAccounts<Row extends readonly unknown[]>(
  queries: Queries,
  rows: readonly Row[],
  accountAt: number,
): Promise<Row[]> {
  const ids = [...new Set(rows.map((row) => String(row[accountAt])))];
  const accounts = await queries.all<{ id: string }>(
    'SELECT id FROM accounts WHERE id = ANY($1::text[])',
    texts(ids),
  );
  const known = new Set<unknown>(accounts.map(({ id }) => id));
  return rows.filter((row) => known.has(row[accountAt]));
}
