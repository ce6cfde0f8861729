import type { ExpressionBuilder, Kysely } from 'kysely';
import type {
  AccountUsageTotal,
  HourUsageTotal,
  OperationUsageTotal,
  Outcome,
  UsageCounts,
} from '../../core/requests/usage.ts';
import type { Database } from '../schema/schema.ts';
import { DURATION_COLUMNS, OUTCOME_COLUMNS } from './usage-columns.ts';

/* Usage of all accounts together, from the rows of hours. Hours since the Unix epoch. */

const COLUMN_OF = {
  succeeded: 'succeeded',
  clientErrors: 'client_errors',
  limited: 'limited',
  serverErrors: 'server_errors',
} as const satisfies Record<Outcome, (typeof OUTCOME_COLUMNS)[number]>;

/** By operation, since this hour. */
export async function totalsByOperation(
  queries: Kysely<Database>,
  first: number,
): Promise<OperationUsageTotal[]> {
  const rows = await sums(queries, first)
    .select('operation')
    .select(({ fn, cast }) =>
      DURATION_COLUMNS.map((column) => cast<number>(fn.sum(column), 'bigint').as(column)),
    )
    .groupBy('operation')
    .execute();
  return rows.map((row) => ({
    operation: row.operation,
    ...countsOf(row),
    durations: DURATION_COLUMNS.map((column) => row[column]),
  }));
}

/** By hour, since this hour, the earliest first; hours without requests are left out. */
export async function totalsByHour(
  queries: Kysely<Database>,
  first: number,
): Promise<HourUsageTotal[]> {
  const rows = await sums(queries, first).select('hour').groupBy('hour').orderBy('hour').execute();
  return rows.map((row) => ({ hour: row.hour, ...countsOf(row) }));
}

/**
 * The accounts with the most requests since this hour, those with the most first.
 * @param outcome of the requests; by default any.
 */
export async function totalsByAccount(
  queries: Kysely<Database>,
  first: number,
  most: number,
  outcome?: Outcome,
): Promise<AccountUsageTotal[]> {
  const rows = await sums(queries, first)
    .select('account_id')
    .groupBy('account_id')
    .having((eb) => eb(eb.fn.sum(chosen(eb, outcome)), '>', 0))
    .orderBy((eb) => eb.fn.sum(chosen(eb, outcome)), 'desc')
    .orderBy('account_id')
    .limit(most)
    .execute();
  return rows.map((row) => ({ accountId: row.account_id, ...countsOf(row) }));
}

/** The count of a row that accounts are compared by. */
function chosen(eb: ExpressionBuilder<Database, 'key_usage'>, outcome: Outcome | undefined) {
  if (outcome !== undefined) return eb(eb.ref(COLUMN_OF[outcome]), '+', eb.lit(0));
  const refused = eb(eb.ref('client_errors'), '+', eb.ref('limited'));
  return eb(eb(eb.ref('succeeded'), '+', refused), '+', eb.ref('server_errors'));
}

/** The sums of the outcomes since an hour. */
function sums(queries: Kysely<Database>, first: number) {
  return queries
    .selectFrom('key_usage')
    .select(({ fn, cast }) =>
      OUTCOME_COLUMNS.map((column) => cast<number>(fn.sum(column), 'bigint').as(column)),
    )
    .where('hours', '=', 1)
    .where('hour', '>=', first);
}

function countsOf(row: Readonly<Record<(typeof OUTCOME_COLUMNS)[number], number>>): UsageCounts {
  const { succeeded, client_errors: clientErrors, limited, server_errors: serverErrors } = row;
  return { succeeded, clientErrors, limited, serverErrors };
}
