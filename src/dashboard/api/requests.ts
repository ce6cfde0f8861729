import { operationsOf } from '../../api/all-operations.ts';
import { explainError } from '../../api/error-catalogue.ts';
import type { Environment } from '../../core/environments.ts';
import { requestJson } from '../../core/requests/request-json.ts';
import {
  KEPT_PER_ACCOUNT,
  type LoggedRequest,
  RECORDED_PER_MINUTE,
} from '../../core/requests/request-log.ts';
import { loggedHeaders } from '../../http/logged-headers.ts';
import { DashboardError } from '../errors.ts';
import type { DashboardOptions } from '../options.ts';
import type { FoundRequest, RequestInfo, RequestPage } from '../shared/requests.ts';
import { byId } from './by-id.ts';
import { onAccount } from './of-account.ts';
import { json } from './replies.ts';
import { downloadRequests, isDownloadForm } from './request-download.ts';
import { requestFilter } from './request-filter.ts';
import type { AccountContext, Route } from './route.ts';

const ON_ONE_PAGE = 50;

/** Maximum number of entries shown for one request id; clients may reuse an id. */
const MOST_FOUND = 20;

export const requestRoutes: readonly Route[] = [
  ...onAccount('/requests', list),
  { method: 'GET', path: '/operator/requests', access: 'operator', handle: find },
];

async function list({ options, account, query }: AccountContext): Promise<Response> {
  const { requestLog } = options.stores;
  const { id: accountId } = account;
  const filter = requestFilter(query);
  const form = query.get('format') ?? '';
  if (isDownloadForm(form)) {
    return downloadRequests(form, async (limit, before) =>
      requestLog.page(accountId, filter, limit, before),
    );
  }
  if (form !== '') throw new DashboardError('invalid', '"format" must be json or csv.');
  const before = entryIn(query, 'before');
  const entry = entryIn(query, 'entry');
  const entries =
    entry === undefined
      ? await requestLog.page(accountId, filter, ON_ONE_PAGE + 1, before)
      : await entryWith(entry, accountId, options);
  const shown = entries.slice(0, ON_ONE_PAGE);
  return json<RequestPage>(200, {
    requests: await requestInfos(shown, options),
    next: entries.length > ON_ONE_PAGE ? (shown.at(-1)?.id ?? null) : null,
    errors: explainedErrors(shown),
    kept: {
      days: options.requestLogDays,
      perMinute: RECORDED_PER_MINUTE,
      requests: KEPT_PER_ACCOUNT,
    },
  });
}

/** The id of an entry; `undefined` if it is missing. @throws ApiError `invalid` */
function entryIn(query: URLSearchParams, name: string): string | undefined {
  const id = query.get(name) ?? undefined;
  if (id === undefined || /^[\da-f]{32}$/.test(id)) return id;
  throw new DashboardError('invalid', `"${name}" must be the id of an entry.`);
}

/** The entry of an account with this id, if it has it. */
async function entryWith(
  id: string,
  accountId: string,
  { stores }: DashboardOptions,
): Promise<readonly LoggedRequest[]> {
  const next = (BigInt(`0x${id}`) + 1n).toString(16).padStart(32, '0');
  const latest = await stores.requestLog.page(accountId, {}, 1, next);
  return latest.filter((entry) => entry.id === id);
}

/** The requests with this `X-Request-Id`, of all accounts. */
async function find({ options, query }: AccountContext): Promise<Response> {
  const requestId = query.get('id')?.trim() ?? '';
  if (requestId === '') throw new DashboardError('invalid', '"id" must be an X-Request-Id.');
  const { requestLog, accounts } = options.stores;
  const entries = await requestLog.find(requestId, MOST_FOUND);
  const accountOf = await byId(
    accounts,
    entries.map(({ accountId }) => accountId),
  );
  const requests = entries.flatMap(({ id, accountId, at, method, path, status }) => {
    const email = accountOf.get(accountId)?.email;
    return email === undefined ? [] : [{ id, accountId, email, at, method, path, status }];
  });
  return json<{ requests: readonly FoundRequest[] }>(200, { requests });
}

async function requestInfos(
  entries: readonly LoggedRequest[],
  { stores, addresses }: DashboardOptions,
): Promise<RequestInfo[]> {
  const keyOf = await byId(
    stores.keys,
    entries.map(({ keyId }) => keyId),
  );
  const bases = {
    production: basesOf('production', addresses),
    staging: basesOf('staging', addresses),
  } satisfies Record<Environment, Base[]>;
  return entries.map((entry) => {
    const key = keyOf.get(entry.keyId);
    return {
      ...requestJson(entry),
      id: entry.id,
      at: entry.at,
      keyName: key?.name ?? null,
      keyEnding: key?.lastFour ?? null,
      url: urlOf(entry.path, bases[entry.environment]),
      headers: loggedHeaders(entry.limits),
    };
  });
}

/** A base address of an API. */
interface Base {
  readonly origin: string;
  /** Without a trailing slash. */
  readonly pathname: string;
  /** Of its operations, with that of the base address. */
  readonly paths: ReadonlySet<string>;
}

/** The base addresses that may serve requests of the environment; those with the longest paths first. */
function basesOf(environment: Environment, addresses: DashboardOptions['addresses']): Base[] {
  const bases = ([environment, 'quickstart', 'sandbox'] as const).map((name) => {
    const { origin, pathname: path } = new URL(addresses[name]);
    const pathname = path.replace(/\/$/, '');
    const paths = operationsOf(name).map(({ path }) => pathname + path);
    return { origin, pathname, paths: new Set(paths) };
  });
  bases.sort((a, b) => b.pathname.length - a.pathname.length);
  // Requests from before a base address was changed may have another path.
  const { origin } = new URL(addresses[environment]);
  return [...bases, { origin, pathname: '', paths: new Set() }];
}

/**
 * The full address of a request: its path as it was received, at the base address that serves it.
 * Several base addresses may contain the path if they differ in their hosts, which are not logged.
 */
function urlOf(path: string, bases: readonly Base[]): string {
  const [requested = ''] = path.split('?', 1);
  const serving = bases.find(({ paths }) => paths.has(requested));
  const containing = bases.find(({ pathname }) => path.startsWith(`${pathname}/`));
  return ((serving ?? containing)?.origin ?? '') + path;
}

function explainedErrors(entries: readonly LoggedRequest[]): RequestPage['errors'] {
  const codes = new Set(entries.flatMap(({ code }) => code ?? []));
  return Object.fromEntries(
    [...codes].flatMap((code) => {
      const explained = explainError(code);
      return explained ? [[code, explained]] : [];
    }),
  );
}
