import { type AuditFilter, type AuditRecord, isAuditAction } from '../../core/accounts/audit.ts';
import { csvLine } from '../../lib/csv.ts';
import { DashboardError } from '../errors.ts';
import type { DashboardStores } from '../options.ts';
import { AUDIT_PAGE_LENGTH, MAX_AUDIT_LINES } from '../shared/bounds.ts';
import type { AuditInfo } from '../shared/operator.ts';
import { byId } from './by-id.ts';
import { download, ROWS_AT_ONCE } from './download.ts';
import { momentIn, positionIn } from './query.ts';
import { json } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

export const auditRoutes: readonly Route[] = [
  { method: 'GET', path: '/operator/audit', access: 'operator', handle: listAudit },
];

async function listAudit({ options, query }: AccountContext): Promise<Response> {
  const { stores } = options;
  const filter = await filterFrom(query, stores);
  const format = query.get('format');
  if (format !== null && format !== 'csv') throw invalid('"format" must be csv.');
  const before = positionIn(query, 'before');
  if (format === 'csv') {
    return download('audit.csv', 'text/csv; charset=utf-8', csvLines(stores, filter, before));
  }
  const entries = filter
    ? await auditInfos(await stores.audit.list(AUDIT_PAGE_LENGTH, before, filter), stores)
    : [];
  return json<{ entries: readonly AuditInfo[] }>(200, { entries });
}

/** The latest matching entries as CSV, newest first. @param filter `undefined` if no entry matches. */
async function* csvLines(
  stores: DashboardStores,
  filter: AuditFilter | undefined,
  start: number | undefined,
): AsyncGenerator<string> {
  yield csvLine(['at', 'actor', 'action', 'account', 'account id', 'detail', 'device', 'address']);
  let before = start;
  for (let written = 0; filter && written < MAX_AUDIT_LINES; written += ROWS_AT_ONCE) {
    const most = Math.min(ROWS_AT_ONCE, MAX_AUDIT_LINES - written);
    const entries = await auditInfos(await stores.audit.list(most, before, filter), stores);
    if (entries.length > 0) yield entries.map(lineOf).join('');
    if (entries.length < most) break;
    before = entries.at(-1)?.number;
  }
}

function lineOf({ at, by, action, email, accountId, detail, ...client }: AuditInfo): string {
  const { device = null, address = null } = client;
  const time = new Date(at).toISOString();
  return csvLine([time, by, action, email, accountId, detail, device, address]);
}

/** Entries with the addresses of their accounts. */
export async function auditInfos(
  entries: readonly AuditRecord[],
  { accounts }: Pick<DashboardStores, 'accounts'>,
): Promise<AuditInfo[]> {
  const accountOf = await byId(
    accounts,
    entries.map(({ accountId }) => accountId),
  );
  return entries.map(({ number, at, by, action, accountId, detail, client }) => {
    const email = accountOf.get(accountId)?.email ?? null;
    return { number, at, by, action, accountId, email, detail, ...client };
  });
}

/** `undefined` if no account has the address: then no entry matches. */
async function filterFrom(
  query: URLSearchParams,
  { accounts }: DashboardStores,
): Promise<AuditFilter | undefined> {
  const action = query.get('action') || undefined;
  if (action !== undefined && !isAuditAction(action)) throw invalid('"action" is unknown.');
  const filter = {
    actor: query.get('actor')?.trim() || undefined,
    actions: action && [action],
    from: momentIn(query, 'from'),
    to: momentIn(query, 'to'),
  };
  const account = query.get('account')?.trim() || undefined;
  if (!account?.includes('@')) return { ...filter, accountId: account };
  const found = await accounts.findByEmail(account);
  return found && { ...filter, accountId: found.id };
}

function invalid(message: string) {
  return new DashboardError('invalid', message);
}
