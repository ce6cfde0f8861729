import type { SubjectUsage, UsageFigures } from '../../core/requests/usage.ts';

/** The columns of `key_usage` that count replies, with the figure that each one counts. */
const COUNTS = {
  succeeded: 'succeeded',
  client_errors: 'clientErrors',
  limited: 'limited',
  server_errors: 'serverErrors',
  invalid: 'invalid',
  unauthorized: 'unauthorized',
  not_found: 'notFound',
  conflicts: 'conflicts',
} as const satisfies Readonly<Record<string, keyof UsageFigures>>;

/** The columns that count outcomes; `usage` has the same ones. */
export const OUTCOME_COLUMNS = ['succeeded', 'client_errors', 'limited', 'server_errors'] as const;

const CLIENT_ERROR_COLUMNS = ['invalid', 'unauthorized', 'not_found', 'conflicts'] as const;
const REPLY_COLUMNS = [...OUTCOME_COLUMNS, ...CLIENT_ERROR_COLUMNS] as const;

/** The columns that count durations, by bucket. */
export const DURATION_COLUMNS = [
  ...(['took_0', 'took_1', 'took_2', 'took_3', 'took_4', 'took_5', 'took_6', 'took_7'] as const),
  ...(['took_8', 'took_9', 'took_10', 'took_11', 'took_12', 'took_13', 'took_14'] as const),
  ...(['took_15', 'took_16', 'took_17', 'took_18', 'took_19', 'took_20', 'took_21'] as const),
  ...(['took_22', 'took_23', 'took_24', 'took_25', 'took_26', 'took_27', 'took_28'] as const),
  ...(['took_29', 'took_30', 'took_31'] as const),
] as const;

/** The count columns that `usage` does not have. */
export const DETAIL_COLUMNS = [...CLIENT_ERROR_COLUMNS, ...DURATION_COLUMNS] as const;

/** All count columns. */
export const COUNT_COLUMNS = [...REPLY_COLUMNS, ...DURATION_COLUMNS] as const;
type CountColumn = (typeof COUNT_COLUMNS)[number];

/** The counts by column, without those of 0. */
export function countsByColumn(figures: UsageFigures): Partial<Record<CountColumn, number>> {
  const counts: Partial<Record<CountColumn, number>> = {};
  for (const column of REPLY_COLUMNS) {
    const count = figures[COUNTS[column]];
    if (count > 0) counts[column] = count;
  }
  for (const [bucket, column] of DURATION_COLUMNS.entries()) {
    const count = figures.durations[bucket] ?? 0;
    if (count > 0) counts[column] = count;
  }
  return counts;
}

/** Converts a row of sums to the type of the core. */
export function usageFromRow(
  row: Readonly<Record<CountColumn, number>> & {
    readonly environment: SubjectUsage['environment'];
    readonly key_id: string;
    readonly operation: string;
  },
): SubjectUsage {
  return {
    environment: row.environment,
    keyId: row.key_id,
    operation: row.operation,
    succeeded: row.succeeded,
    clientErrors: row.client_errors,
    limited: row.limited,
    serverErrors: row.server_errors,
    invalid: row.invalid,
    unauthorized: row.unauthorized,
    notFound: row.not_found,
    conflicts: row.conflicts,
    durations: DURATION_COLUMNS.map((column) => row[column]),
  };
}
