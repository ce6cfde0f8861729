import type { BatchMark, UsageRecord } from '../../core/requests/usage.ts';
import { chunks } from '../../lib/chunks.ts';
import type { UsageBatches } from '../requests/usage.ts';
import { addedCounts, COUNT_COLUMNS, countsOf } from '../requests/usage-columns.ts';
import type { PostgresDatabase } from './database.ts';
import { type Queries, texts } from './queries.ts';
import { valuesOf } from './several-nodes.ts';

/** Adds the usage of many accounts. */
export class PostgresUsageBatches implements UsageBatches {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async add(records: readonly UsageRecord[], mark?: BatchMark): Promise<void> {
    await this.#database.of('saves').transaction(async (queries) => {
      if (mark && !(await isNew(queries, mark, records))) return;
      if (this.#database.isDistributed) await addOnSeveralNodes(queries, records);
      else await addAll(queries, records);
    });
  }

  async pruneMarks(hour: number): Promise<void> {
    await this.#database.run('DELETE FROM usage_sources WHERE hour < $1', hour);
  }
}

/** Records a batch as added; `false` if it already was, by a commit whose reply was lost. */
async function isNew(
  queries: Queries,
  { source, number }: BatchMark,
  records: readonly UsageRecord[],
): Promise<boolean> {
  const latest = Math.max(...records.map(({ hour }) => hour));
  const noted = await queries.run(
    `INSERT INTO usage_sources AS noted (id, batch, hour) VALUES ($1, $2, $3)
     ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, hour = excluded.hour
     WHERE noted.batch < excluded.batch`,
    source,
    number,
    latest,
  );
  return noted > 0;
}

const RECORD_COLUMNS = [
  ...['account_id text', 'hour bigint', 'environment text', 'key_id text', 'operation text'],
  ...COUNT_COLUMNS.map((column) => `${column} bigint`),
].join(', ');

const SUMS = COUNT_COLUMNS.map((column) => `coalesce(sum(added.${column}), 0)::bigint`).join(', ');

const INSERT = `INSERT INTO key_usage AS counted
  (account_id, hour, hours, environment, key_id, operation, ${COUNT_COLUMNS.join(', ')})`;

const OR_ADD = `ON CONFLICT (account_id, hour, hours, key_id, operation)
  DO UPDATE SET ${addedCounts('counted')}`;

// Sorted, so that processes that add to the same rows wait for each other without a deadlock.
const ADD_ALL = `${INSERT} SELECT added.account_id, added.hour, 1, added.environment, added.key_id, added.operation, ${SUMS}
  FROM json_to_recordset($1::text::json) AS added (${RECORD_COLUMNS})
  JOIN accounts ON accounts.id = added.account_id
  GROUP BY added.account_id, added.hour, added.environment, added.key_id, added.operation
  ORDER BY added.account_id, added.hour, added.environment, added.key_id, added.operation
  ${OR_ADD}`;

/** Drops the usage of accounts that were deleted in the meantime. */
async function addAll(queries: Queries, records: readonly UsageRecord[]): Promise<void> {
  await queries.run(ADD_ALL, JSON.stringify(records.map(jsonRow)));
}

/** Like `addAll`, for a sharded database. */
async function addOnSeveralNodes(queries: Queries, records: readonly UsageRecord[]): Promise<void> {
  const accounts = await queries.all<{ id: string }>(
    'SELECT id FROM accounts WHERE id = ANY($1::text[])',
    texts([...new Set(records.map(({ accountId }) => accountId))]),
  );
  const known = new Set(accounts.map(({ id }) => id));
  const rows = rowsOf(records.filter(({ accountId }) => known.has(accountId)));
  for (const some of chunks(rows)) {
    await queries.run(`${INSERT} ${valuesOf(some)} ${OR_ADD}`);
  }
}

/** A row for each subject and hour, in the order of `ADD_ALL`. */
function rowsOf(records: readonly UsageRecord[]): (string | number)[][] {
  const bySubject = Map.groupBy(records, ({ accountId, hour, environment, keyId, operation }) =>
    JSON.stringify([accountId, hour, 1, environment, keyId, operation]),
  );
  const subjects = [...bySubject].sort(([one], [other]) => (one < other ? -1 : 1));
  return subjects.map(([subject, members]) => {
    const each = members.map(countsOf);
    const sums = COUNT_COLUMNS.map((_, index) =>
      each.reduce((sum, counts) => sum + (counts[index] ?? 0), 0),
    );
    return [...JSON.parse(subject), ...sums];
  });
}

/** A record by column, without counts of 0. */
function jsonRow(record: UsageRecord) {
  const { accountId, hour, environment, keyId, operation } = record;
  const counts = countsOf(record).flatMap((count, index) =>
    count > 0 ? [[COUNT_COLUMNS[index], count]] : [],
  );
  return {
    account_id: accountId,
    hour,
    environment,
    key_id: keyId,
    operation,
    ...Object.fromEntries(counts),
  };
}
