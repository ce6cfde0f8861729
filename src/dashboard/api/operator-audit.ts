import { type AuditFilter, type AuditRecord, isAuditAction } from '../../core/audit.ts';
import { csv } from '../../lib/csv.ts';
import { INSTANT_RULE, parseInstant } from '../../lib/instant.ts';
import { DashboardError, UNCACHED } from '../errors.ts';
import type { DashboardStores } from '../options.ts';
import { MAX_AUDIT_LINES } from '../shared/bounds.ts';
import type { AuditInfo } from '../shared/operator.ts';
import { json } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

const MAX_ENTRIES = 50;

export const auditRoutes: readonly Route[] = [
  { method: 'GET', path: '/operator/audit', access: 'operator', handle: listAudit },
];

async function listAudit({ options, query }: AccountContext): Promise<Response> {
  const { stores } = options;
  const filter = await filterFrom(query, stores);
  const format = query.get('format');
  if (format !== null && format !== 'csv') throw invalid('"format" must be csv.');
  const most = format === 'csv' ? MAX_AUDIT_LINES : MAX_ENTRIES;
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
  const ids = [...new Set(entries.map(({ accountId }) => accountId))];
  const emails = new Map((await accounts.findAll(ids)).map(({ id, email }) => [id, email]));
  return entries.map(({ number, at, by, action, accountId, detail }) => {
    return { number, at, by, action, accountId, email: emails.get(accountId) ?? null, detail };
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
    from: momentFrom(query, 'from'),
    to: momentFrom(query, 'to'),
  };
  const account = query.get('account')?.trim() || undefined;
  if (!account?.includes('@')) return { ...filter, accountId: account };
  const found = await accounts.findByEmail(account);
  return found && { ...filter, accountId: found.id };
}

function momentFrom(query: URLSearchParams, name: 'from' | 'to'): number | undefined {
  const text = query.get(name);
  if (!text) return undefined;
  const moment = parseInstant(text);
  if (moment !== undefined) return moment;
  throw invalid(`"${name}" must be ${INSTANT_RULE}.`);
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
