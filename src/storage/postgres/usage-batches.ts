import type { BatchMark, UsageRecord } from '../../core/usage.ts';
import type { UsageBatches } from '../usage.ts';
import { integers, type PostgresDatabase, type Queries, texts } from './database.ts';

/** Adds the usage of many accounts. */
export class PostgresUsageBatches implements UsageBatches {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async add(records: readonly UsageRecord[], mark?: BatchMark): Promise<void> {
    await this.#database.transaction(async (queries) => {
      if (!mark || (await isNew(queries, mark, records))) await addAll(queries, records);
    });
  }

  async pruneMarks(hour: number): Promise<void> {
    await this.#database.run('DELETE FROM usage_sources WHERE hour < $1', hour);
  }
}

/** Notes a batch as added; `false` when it was before, by a commit whose answer was lost. */
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

/** Usage of an account that is gone meanwhile is dropped. */
async function addAll(queries: Queries, records: readonly UsageRecord[]): Promise<void> {
  // In one order everywhere, so that processes that add to the same rows only wait.
  await queries.run(
    `INSERT INTO usage AS counted (account_id, environment, hour,
         succeeded, client_errors, limited, server_errors)
       SELECT added.account_id, added.environment, added.hour,
         sum(added.succeeded)::bigint, sum(added.client_errors)::bigint,
         sum(added.limited)::bigint, sum(added.server_errors)::bigint
       FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
         $7::bigint[]) AS added (account_id, environment, hour,
           succeeded, client_errors, limited, server_errors)
       JOIN accounts ON accounts.id = added.account_id
       GROUP BY added.account_id, added.environment, added.hour
       ORDER BY added.account_id, added.environment, added.hour
       ON CONFLICT (account_id, hour, environment) DO UPDATE SET
         succeeded = counted.succeeded + excluded.succeeded,
         client_errors = counted.client_errors + excluded.client_errors,
         limited = counted.limited + excluded.limited,
         server_errors = counted.server_errors + excluded.server_errors`,
    texts(records.map(({ accountId }) => accountId)),
    texts(records.map(({ environment }) => environment)),
    integers(records.map(({ hour }) => hour)),
    integers(records.map(({ succeeded }) => succeeded)),
    integers(records.map(({ clientErrors }) => clientErrors)),
    integers(records.map(({ limited }) => limited)),
    integers(records.map(({ serverErrors }) => serverErrors)),
  );
}
