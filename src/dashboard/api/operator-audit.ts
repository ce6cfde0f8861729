import { type AuditFilter, type AuditRecord, isAuditAction } from '../../core/audit.ts';
import { csv } from '../../lib/csv.ts';
import { DashboardError, UNCACHED } from '../errors.ts';
import type { DashboardStores } from '../options.ts';
import { AUDIT_PAGE_LENGTH, MAX_AUDIT_LINES } from '../shared/bounds.ts';
import type { AuditInfo } from '../shared/operator.ts';
import { byId } from './by-id.ts';
import { momentIn } from './query.ts';
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
  const most = format === 'csv' ? MAX_AUDIT_LINES : AUDIT_PAGE_LENGTH;
  const entries = filter
    ? await auditInfos(await stores.audit.list(most, positionFrom(query), filter), stores)
    : [];
  if (format === 'csv') return download(entries);
  return json<{ entries: readonly AuditInfo[] }>(200, { entries });
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
  return entries.map(({ number, at, by, action, accountId, detail }) => {
    const email = accountOf.get(accountId)?.email ?? null;
    return { number, at, by, action, accountId, email, detail };
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
    action,
    from: momentIn(query, 'from'),
    to: momentIn(query, 'to'),
  };
  const account = query.get('account')?.trim() || undefined;
  if (!account?.includes('@')) return { ...filter, accountId: account };
  const found = await accounts.findByEmail(account);
  return found && { ...filter, accountId: found.id };
}

function positionFrom(query: URLSearchParams): number | undefined {
  const before = query.get('before');
  if (before === null) return undefined;
  if (/^[1-9]\d{0,14}$/.test(before)) return Number(before);
  throw invalid('"before" must be the number of an entry.');
}

function download(entries: readonly AuditInfo[]): Response {
  const names = ['at', 'actor', 'action', 'account', 'account id', 'detail'];
  const rows = entries.map(({ at, by, action, email, accountId, detail }) => {
    return [new Date(at).toISOString(), by, action, email, accountId, detail];
  });
  const headers = {
    ...UNCACHED,
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': 'attachment; filename="audit.csv"',
  };
  return new Response(csv(names, rows), { headers });
}

function invalid(message: string) {
  return new DashboardError('invalid', message);
}
