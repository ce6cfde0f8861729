import type { SQL } from 'bun';
import { messageOf, SetupError } from '../../core/errors.ts';
import { withConnection } from './connection.ts';
import { distributeNewTables, isDistributed, lockDistribution, newTables } from './distribution.ts';
import { isConflict, repeatAfter, sqlStateOf } from './failures.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';

/** SQLSTATE: two processes tried to create the same object at the same time. */
const MADE_BY_ANOTHER = /^(23505|42P07|42710|XX000)$/;

/** The number of attempts, and the pause (ms), when several processes start at the same time. */
const ATTEMPTS = { most: 10, pause: 20 } as const;

/** Pause between two checks whether another process has prepared a step, in ms. */
const LOOK_EVERY = 200;

/** The table that marks the database as ours and records the completed steps. */
const TABLE = 'petstore_schema';

/**
 * Migrates the database to the current schema. Only one process at a time does so, holding a lock on the row that
 * records the completed steps; processes of the previous release keep running.
 * @param migrations the steps of this release.
 * @returns whether pets are distributed over several nodes.
 * @throws SetupError when the database cannot be reached, is not ours, or belongs to a newer release.
 */
export async function migrate(url: string, migrations = MIGRATIONS): Promise<boolean> {
  try {
    // A step may take longer than the usual statement timeout.
    return await withConnection(url, 0, (connection) =>
      repeatAfter(isRace, ATTEMPTS, () => bringUpToDate(url, connection, migrations)),
    );
  } catch (cause) {
    if (cause instanceof SetupError) throw cause;
    throw new SetupError(
      `Cannot use the database of PETSTORE_DATABASE_URL: ${messageOf(cause)}. Is PostgreSQL running there, and may this user make tables?`,
      { cause },
    );
  }
}

async function bringUpToDate(
  url: string,
  connection: SQL,
  migrations: readonly Migration[],
): Promise<boolean> {
  await claim(connection);
  const run = (prepared?: Migration) =>
    connection.begin((transaction) => runSteps(transaction, migrations, prepared));
  for (let next = await run(); next; next = await run()) {
    const step = next;
    await alone(url, async () => {
      await step.online?.(connection);
      await run(step);
    });
  }
  if ((await newTables(connection)).length > 0) {
    await alone(url, () => distributeNewTables(connection));
  }
  return isDistributed(connection);
}

function isRace(error: unknown): boolean {
  return isConflict(error) || MADE_BY_ANOTHER.test(sqlStateOf(error) ?? '');
}

/** Waits until no other process does such work, then does the work. */
async function alone(url: string, work: () => Promise<void>): Promise<void> {
  while (!(await whileLocked(url, work))) await Bun.sleep(LOOK_EVERY);
}

/**
 * Does the work unless another process is preparing a step. Does not wait for the lock, because creating an index
 * concurrently waits for all transactions, including those that wait for the lock.
 * @returns `false` when another process has the lock, or distributes tables.
 */
function whileLocked(url: string, work: () => Promise<void>): Promise<boolean> {
  return withConnection(url, 0, async (connection) => {
    await connection.unsafe(
      `INSERT INTO ${TABLE} (name, done, works_with) VALUES ('online', 0, 0)
       ON CONFLICT (name) DO NOTHING`,
    );
    return connection.begin(async (transaction) => {
      await transaction.unsafe('SET LOCAL idle_in_transaction_session_timeout = 0');
      const locked = await transaction.unsafe(
        `SELECT 1 FROM ${TABLE} WHERE name = 'online' FOR UPDATE SKIP LOCKED`,
      );
      if (locked.length === 0) return false;
      if (!(await lockDistribution(transaction, 'end of transaction'))) return false;
      await work();
      return true;
    });
  });
}

/**
 * Runs the missing steps, up to the next one that must be prepared while the database is in use.
 * @param prepared the step that is already prepared.
 * @returns the step that must be prepared next.
 */
async function runSteps(
  transaction: SQL,
  migrations: readonly Migration[],
  prepared: Migration | undefined,
): Promise<Migration | undefined> {
  const [row] = await transaction.unsafe<{ done: bigint; works_with: bigint }[]>(
    `SELECT done, works_with FROM ${TABLE} WHERE name = 'petstore' FOR UPDATE`,
  );
  const done = Number(row?.done ?? 0);
  const worksWith = Number(row?.works_with ?? 0);
  if (worksWith > migrations.length) {
    throw new SetupError(
      `The database was changed by a newer release (schema ${done}, this one knows ${migrations.length}). Start that release.`,
    );
  }
  const missing = migrations.slice(done);
  // Again, because a pooler applies the limit of the role.
  await transaction.unsafe('SET LOCAL statement_timeout = 0');
  // A database without any steps is not in use yet.
  const next = done === 0 ? undefined : missing.find((step) => step.online && step !== prepared);
  const ahead = next ? missing.slice(0, missing.indexOf(next)) : missing;
  if (ahead.length === 0) return next;
  for (const { statements } of ahead) {
    for (const statement of statements) await transaction.unsafe(statement);
  }
  await transaction.unsafe(
    `UPDATE ${TABLE} SET done = $1, works_with = $2 WHERE name = 'petstore'`,
    [done + ahead.length, Math.max(worksWith, ...ahead.map((step) => step.worksWith))],
  );
  return next;
}

/** Creates the row that marks the database as ours. */
async function claim(connection: SQL): Promise<void> {
  const rows = await connection.unsafe<{ name: string }[]>(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
  );
  const names = rows.map(({ name }) => name);
  if (!names.includes(TABLE)) {
    const foreign = names.find((name) => name === 'pets' || name === 'accounts');
    if (foreign !== undefined) {
      throw new SetupError(
        `The database of PETSTORE_DATABASE_URL holds a table "${foreign}" that is not ours. Give the service a database of its own.`,
      );
    }
    await connection.unsafe(
      `CREATE TABLE IF NOT EXISTS ${TABLE} (
        name TEXT PRIMARY KEY, done BIGINT NOT NULL, works_with BIGINT NOT NULL)`,
    );
  }
  await connection.unsafe(
    `INSERT INTO ${TABLE} (name, done, works_with) VALUES ('petstore', 0, 0)
     ON CONFLICT (name) DO NOTHING`,
  );
}
