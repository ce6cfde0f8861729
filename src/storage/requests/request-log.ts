import {
  ADDED_BETWEEN_TRIMS,
  KEPT_PER_ACCOUNT,
  KEPT_SUCCESSES,
  type LoggedRequest,
  type RequestFilter,
  type RequestLogStore,
} from '../../core/requests/request-log.ts';
import type { Access } from '../access.ts';
import { deleteInBatches, deleteInWindows } from '../schema/batches.ts';
import { insertion } from '../schema/row-statements.ts';
import type { Transaction } from '../schema/schema.ts';
import { containsText } from '../schema/selection.ts';
import { inSlices, type Slice } from '../schema/slices.ts';
import { REQUEST_COLUMNS, requestFromRow, rowFromRequest } from './request-log-rows.ts';

/** Entries that a filter checks at once; a long text takes up to 0.05 ms for one. */
const CHECKED_AT_ONCE = 200;

/** The first status of an error. */
const FIRST_ERROR = 400;

export const requestLogChanges = {
  async trim(transaction: Transaction, accountId: string): Promise<void> {
    const { all, errors } = await transaction
      .selectFrom('request_log')
      .select(({ fn, eb }) => [
        fn.countAll<number>().as('all'),
        fn.count<number>(eb.case().when('status', '>=', FIRST_ERROR).then(1).end()).as('errors'),
      ])
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow();
    if (all + ADDED_BETWEEN_TRIMS <= KEPT_PER_ACCOUNT) return;
    const most = KEPT_PER_ACCOUNT - ADDED_BETWEEN_TRIMS;
    const successes = all - errors;
    const keptErrors = Math.min(errors, most - Math.min(successes, KEPT_SUCCESSES));
    await deleteOldest(transaction, accountId, '>=', errors - keptErrors);
    await deleteOldest(transaction, accountId, '<', successes - (most - keptErrors));
  },
};

/** Deletes a number of an account's oldest successes, or of its oldest errors. */
async function deleteOldest(
  transaction: Transaction,
  accountId: string,
  side: '<' | '>=',
  count: number,
): Promise<void> {
  if (count <= 0) return;
  const last = await transaction
    .selectFrom('request_log')
    .select('id')
    .where('account_id', '=', accountId)
    .where('status', side, FIRST_ERROR)
    .orderBy('id')
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst();
  if (!last) return;
  await transaction
    .deleteFrom('request_log')
    .where('account_id', '=', accountId)
    .where('status', side, FIRST_ERROR)
    .where('id', '<=', last.id)
    .execute();
}

const ADD = insertion('saves of the request log', 'request_log', REQUEST_COLUMNS);

type LogAccess = Access<typeof requestLogChanges>;

/** The request log, on either engine. */
export function storedRequestLog(access: LogAccess): RequestLogStore {
  return {
    ...access.changes,
    async add(requests) {
      if (requests.length > 0) await access.runForRows(ADD, requests.map(rowFromRequest));
    },
    page: (accountId, filter, limit, before) => page(access, accountId, filter, limit, before),
    find: (requestId, limit) => latest(access, { requestId }, limit),
    async forgetAccount(accountId) {
      await access.run('DELETE FROM request_log WHERE account_id = ?', accountId);
    },
    async forgetEnvironments(environments) {
      for (const environment of environments) {
        await deleteInWindows(access, 'request_log', 'environment = ?', environment);
      }
    },
    prune: (before) => deleteInBatches(access, 'request_log', 'at < ?', before),
  };
}

/** The latest requests of an account that match, newest first. @param before the id of an entry. */
async function page(
  access: LogAccess,
  accountId: string,
  filter: RequestFilter,
  limit: number,
  before?: string,
): Promise<LoggedRequest[]> {
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  if (!isFiltered) return latest(access, { accountId, after: before }, limit);
  const found: LoggedRequest[] = [];
  const endAfter = (after: string | undefined) => endOfSlice(access, accountId, after);
  for await (const slice of inSlices(before, endAfter)) {
    found.push(...(await latest(access, { ...filter, ...slice, accountId }, limit - found.length)));
    if (found.length === limit) break;
  }
  return found;
}

async function endOfSlice(
  access: LogAccess,
  accountId: string,
  after: string | undefined,
): Promise<string | undefined> {
  let query = (await access.queries()).selectFrom('request_log').select('id');
  query = query.where('account_id', '=', accountId);
  if (after !== undefined) query = query.where('id', '<', after);
  const last = query
    .orderBy('id', 'desc')
    .offset(CHECKED_AT_ONCE - 1)
    .limit(1);
  return (await last.executeTakeFirst())?.id;
}

/** Entries in a slice, from newer to older ones. */
interface Selected extends RequestFilter, Partial<Slice<string>> {
  /** All accounts when omitted. */
  readonly accountId?: string;
}

/** The latest of the selected requests, newest first. */
async function latest(
  access: LogAccess,
  { accountId, after, last, environment, keyId, status, code, path, from, to, requestId }: Selected,
  limit: number,
): Promise<LoggedRequest[]> {
  let query = (await access.queries()).selectFrom('request_log').selectAll();
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  if (after !== undefined) query = query.where('id', '<', after);
  if (last !== undefined) query = query.where('id', '>=', last);
  if (environment !== undefined) query = query.where('environment', '=', environment);
  if (keyId !== undefined) query = query.where('key_id', '=', keyId);
  if (status !== undefined) {
    query = query.where('status', '>=', status[0]).where('status', '<=', status[1]);
  }
  if (code !== undefined) query = query.where('code', '=', code);
  if (path !== undefined) {
    query = query.where((where) => containsText(where, where.ref('path'), path));
  }
  if (from !== undefined) query = query.where('at', '>=', from);
  if (to !== undefined) query = query.where('at', '<=', to);
  if (requestId !== undefined) query = query.where('request_id', '=', requestId);
  const rows = await query.orderBy('id', 'desc').limit(limit).execute();
  return rows.map(requestFromRow);
}
