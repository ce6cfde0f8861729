import type { Selectable } from 'kysely';
import {
  type AccountUsageTotal,
  addFigures,
  type BatchMark,
  type DetailedUsage,
  type HourUsageTotal,
  type OperationUsageTotal,
  type Outcome,
  type PeriodUsage,
  type SubjectUsage,
  type UsageFigures,
  type UsageRecord,
  type UsageSelection,
  type UsageStore,
} from '../../core/requests/usage.ts';
import type { Access } from '../access.ts';
import { deleteInBatches } from '../schema/batches.ts';
import { insertion } from '../schema/row-statements.ts';
import type { Database, Transaction } from '../schema/schema.ts';
import { inSlices } from '../schema/slices.ts';
import {
  COUNT_COLUMNS,
  countsByColumn,
  DETAIL_COLUMNS,
  OUTCOME_COLUMNS,
  usageFromRow,
} from './usage-columns.ts';
import { totalsByAccount, totalsByHour, totalsByOperation } from './usage-totals.ts';

/** Hourly rows that are added up to days in one transaction: few enough that creating a pet never waits long for it. */
const ADDED_UP_AT_ONCE = 240;

/** Rows that are summed at once, unless one hour has more; they take about 10 ms. */
const SUMMED_AT_ONCE = 1_000;

const DAY_HOURS = 24;
const KEY = ['account_id', 'hour', 'hours', 'key_id', 'operation'] as const;

type KeyUsageRow = Selectable<Database['key_usage']>;

const SUBJECT = ['account_id', 'hour', 'hours', 'environment', 'key_id', 'operation'] as const;

const ADD = insertion('saves of usage', 'key_usage', [...SUBJECT, ...COUNT_COLUMNS], {
  add: COUNT_COLUMNS,
});

export const usageChanges = {
  /** Adds up some of the hourly rows before this hour to rows of days; returns the number of hourly rows. */
  async addUpUsage(transaction: Transaction, before: number): Promise<number> {
    const hours = await deleteHours(transaction, before).returningAll().execute();
    const days = new Map<string, KeyUsageRow>();
    for (const row of hours) {
      const hour = row.hour - (row.hour % DAY_HOURS);
      const name = `${row.account_id} ${row.key_id} ${row.operation} ${hour}`;
      const day = days.get(name);
      if (!day) days.set(name, { ...row, hour, hours: DAY_HOURS });
      else for (const column of COUNT_COLUMNS) day[column] += row[column];
    }
    if (days.size > 0) await addDays(transaction, [...days.values()]);
    return hours.length;
  },
};

/** Deletes some of the hourly rows before this hour, the oldest first. */
function deleteHours(transaction: Transaction, before: number) {
  return transaction.deleteFrom('key_usage').where(({ eb, refTuple, selectFrom }) =>
    eb(
      refTuple(...KEY),
      'in',
      selectFrom('key_usage')
        .select(KEY)
        .where('hours', '=', 1)
        .where('hour', '<', before)
        .orderBy('hour')
        .limit(ADDED_UP_AT_ONCE)
        .$asTuple(...KEY),
    ),
  );
}

async function addDays(transaction: Transaction, rows: readonly KeyUsageRow[]): Promise<void> {
  await transaction
    .insertInto('key_usage')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(KEY)
        .doUpdateSet((eb) =>
          Object.fromEntries(
            COUNT_COLUMNS.map((column) => [
              column,
              eb(eb.ref(`key_usage.${column}`), '+', eb.ref(`excluded.${column}`)),
            ]),
          ),
        ),
    )
    .execute();
}

/** Usage by key and operation, in hours and days, on either engine. */
export class StoredUsage implements UsageStore {
  readonly #access: Access<typeof usageChanges>;

  constructor(access: Access<typeof usageChanges>) {
    this.#access = access;
  }

  async add(records: readonly UsageRecord[], mark?: BatchMark): Promise<void> {
    if (records.length === 0) return;
    const hour = Math.max(...records.map((record) => record.hour));
    await this.#access.runForRows(ADD, rowsOf(records), mark && { ...mark, hour });
  }

  async byPeriod(selection: UsageSelection): Promise<PeriodUsage[]> {
    const found: PeriodUsage[] = [];
    for await (const slice of this.#slices(selection)) found.push(...(await this.#byPeriod(slice)));
    return found;
  }

  async bySubject(selection: UsageSelection): Promise<SubjectUsage[]> {
    const sums = new Map<string, SubjectUsage>();
    for await (const slice of this.#slices(selection)) {
      for (const usage of await this.#bySubject(slice)) {
        const name = `${usage.environment} ${usage.keyId} ${usage.operation}`;
        const sum = sums.get(name);
        sums.set(name, sum ? { ...usage, ...addFigures(sum, usage) } : usage);
      }
    }
    return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, usage]) => usage);
  }

  async totals(first: number): Promise<OperationUsageTotal[]> {
    return totalsByOperation(await this.#access.queries(), first);
  }

  async hourly(first: number): Promise<HourUsageTotal[]> {
    return totalsByHour(await this.#access.queries(), first);
  }

  async busiest(first: number, most: number, outcome?: Outcome): Promise<AccountUsageTotal[]> {
    return totalsByAccount(await this.#access.queries(), first, most, outcome);
  }

  async detailed(selection: UsageSelection, most: number): Promise<DetailedUsage[]> {
    const rows = await (await this.#selected(selection))
      .selectAll()
      .orderBy('hour')
      .orderBy('environment')
      .orderBy('key_id')
      .orderBy('operation')
      .limit(most)
      .execute();
    return rows.map((row) => ({ hour: row.hour, hours: row.hours, ...usageFromRow(row) }));
  }

  async addUpDays(before: number): Promise<void> {
    while ((await this.#access.changes.addUpUsage(before)) > 0);
  }

  async prune(hour: number): Promise<void> {
    // `usage` has the counts of earlier releases.
    await deleteInBatches(this.#access, 'usage', 'hour < ?', hour);
    const deleteBefore = (hours: number, first: number) =>
      deleteInBatches(this.#access, 'key_usage', 'hours = ? AND hour < ?', hours, first);
    await deleteBefore(1, hour);
    // Days whose hours are all before this one.
    await deleteBefore(DAY_HOURS, hour - DAY_HOURS + 1);
    await this.#access.run('DELETE FROM usage_sources WHERE hour < ?', hour);
  }

  /** Parts of the selection with few rows, the earliest first. */
  async *#slices(selection: UsageSelection): AsyncGenerator<UsageSelection> {
    const { accountId, first, last: end = Number.MAX_SAFE_INTEGER } = selection;
    const hourOfRow = async (from: number, offset: number) => {
      const query = (await this.#access.queries())
        .selectFrom('key_usage')
        .select('hour')
        .where('account_id', '=', accountId)
        .where('hour', '>=', from)
        .where('hour', '<=', end);
      return (await query.orderBy('hour').offset(offset).limit(1).executeTakeFirst())?.hour;
    };
    const endAfter = async (after = first - 1) => {
      const start = after + 1;
      const beyond = await hourOfRow(start, SUMMED_AT_ONCE);
      if (beyond === undefined) return undefined;
      // An hour is summed at once.
      const begin = (await hourOfRow(start, 0)) ?? beyond;
      return Math.max(begin, beyond - 1);
    };
    for await (const { after = first - 1, last = end } of inSlices(undefined, endAfter)) {
      yield { ...selection, first: after + 1, last };
    }
  }

  async #byPeriod(selection: UsageSelection): Promise<PeriodUsage[]> {
    const rows = await (await this.#selected(selection, []))
      .select(['environment', 'hour', 'hours'])
      .select(({ fn, cast }) =>
        OUTCOME_COLUMNS.map((column) => cast<number>(fn.sum(column), 'bigint').as(column)),
      )
      .groupBy(['hour', 'hours', 'environment'])
      .orderBy('hour')
      .orderBy('environment')
      .execute();
    return rows.map(({ client_errors: clientErrors, server_errors: serverErrors, ...row }) => {
      return { ...row, clientErrors, serverErrors };
    });
  }

  async #bySubject(selection: UsageSelection): Promise<SubjectUsage[]> {
    const rows = await (await this.#selected(selection))
      .select(['environment', 'key_id', 'operation'])
      .select(({ fn, cast }) =>
        COUNT_COLUMNS.map((column) => cast<number>(fn.sum(column), 'bigint').as(column)),
      )
      .groupBy(['environment', 'key_id', 'operation'])
      .execute();
    return rows.map(usageFromRow);
  }

  /** The selected rows, including those written by earlier releases. @param details columns to read. */
  async #selected(
    { accountId, first, last = Number.MAX_SAFE_INTEGER, ...subject }: UsageSelection,
    details: readonly (typeof DETAIL_COLUMNS)[number][] = DETAIL_COLUMNS,
  ) {
    const { environment, keyId, operation } = subject;
    const queries = await this.#access.queries();
    const ofEarlierReleases = queries
      .selectFrom('usage')
      .select(['environment', 'hour'])
      .select(({ cast, lit }) => cast<number>(lit(1), 'bigint').as('hours'))
      .select(({ cast, val }) => cast<string>(val(''), 'text').as('key_id'))
      .select(({ cast, val }) => cast<string>(val(''), 'text').as('operation'))
      .select(OUTCOME_COLUMNS)
      .select(({ lit, cast }) => details.map((column) => cast<number>(lit(0), 'bigint').as(column)))
      .where('account_id', '=', accountId)
      .where('hour', '>=', first)
      .where('hour', '<=', last);
    const counted = queries
      .selectFrom('key_usage')
      .select(['environment', 'hour', 'hours', 'key_id', 'operation'])
      .select(OUTCOME_COLUMNS)
      .select(details)
      .where('account_id', '=', accountId)
      .where('hour', '>=', first)
      .where('hour', '<=', last)
      .unionAll(ofEarlierReleases)
      .as('counted');
    return queries
      .selectFrom(counted)
      .where(({ eb, and }) =>
        and([
          ...(environment === undefined ? [] : [eb('environment', '=', environment)]),
          ...(keyId === undefined ? [] : [eb('key_id', '=', keyId)]),
          ...(operation === undefined ? [] : [eb('operation', '=', operation)]),
        ]),
      );
  }
}

/** A row for each subject and hour, sorted, so that processes that add to the same rows never wait in a circle. */
function rowsOf(records: readonly UsageRecord[]) {
  const bySubject = Map.groupBy(records, ({ accountId, hour, environment, keyId, operation }) =>
    JSON.stringify([accountId, hour, environment, keyId, operation]),
  );
  return [...bySubject.keys()].sort().flatMap((subject) => {
    const [first, ...others] = bySubject.get(subject) ?? [];
    if (!first) return [];
    const { accountId, hour, environment, keyId, operation } = first;
    const sums = others.reduce<UsageFigures>(addFigures, first);
    return {
      ...{ account_id: accountId, hour, hours: 1, environment, key_id: keyId, operation },
      ...countsByColumn(sums),
    };
  });
}
