import type { KeyRecord } from '../core/keys/api-keys.ts';
import type { AttemptCounter, AttemptLimiter } from '../core/limits/attempts.ts';
import type { Limits } from '../core/limits/plans.ts';
import type { RateLimitResult } from '../core/limits/rate-limit.ts';
import { refusalHeaders } from '../http/reply/reply.ts';
import { Router, routesOf } from '../http/target/router.ts';
import type { Instant } from '../lib/clock.ts';
import { describeWait } from './describe-wait.ts';
import { DashboardError } from './errors.ts';
import type { Session } from './session.ts';

/** Requests of one session. A page that shows live data sends one a second. */
const OF_SESSION: Limits = { perMinute: 300, perDay: 100_000 };

/** Requests of all sessions of one account. */
const OF_ACCOUNT: Limits = { perMinute: 600, perDay: 200_000 };

/**
 * Requests of one client address, which many people may share: requests without a session, and
 * requests that protect an account.
 */
const OF_ADDRESS: Limits = { perMinute: 600, perDay: 100_000 };

/** The number of requests that a request counts as if it reads many rows. */
const COSTS = {
  /** Takes up to 0.2 s of CPU time. */
  download: 20,
  /** Takes up to 0.1 s. An open page reloads it every five seconds, or every 1.5 s without a live channel. */
  report: 4,
  /** Usually takes up to 20 ms. An open page reloads it at most once a second. */
  filteredList: 2,
} as const;

/** The parameters that select entries of a list, for which all of them may be read. */
const FILTERS =
  'path code id status key environment from to text search actor action account'.split(' ');

/** Lists of animals, which indexes find by id and by status. */
const INDEXED = /^\/(?:production|staging)\/pets\b/;

/**
 * Requests that protect an account after its session cookie was stolen. They count towards the
 * client's address, because a thief could exhaust the limits of the session and the account.
 */
const PROTECTING = new Router(
  routesOf([
    { method: 'POST', path: '/auth/sign-in/email' },
    { method: 'POST', path: '/auth/sign-in/code' },
    { method: 'POST', path: '/auth/sign-in/recovery-code' },
    { method: 'POST', path: '/auth/sign-in/passkey' },
    { method: 'POST', path: '/auth/sign-in/passkey-options' },
    { method: 'POST', path: '/auth/sign-out' },
    { method: 'POST', path: '/auth/change-password' },
    { method: 'POST', path: '/auth/revoke-session' },
    { method: 'POST', path: '/auth/revoke-other-sessions' },
    { method: 'DELETE', path: '/keys/{id}' },
  ]),
);

/**
 * Limits the requests to the dashboard's API, in addition to the limits of `sign-in/attempts.ts`.
 */
export class RequestLimits {
  readonly #limiter: AttemptLimiter;

  constructor(limiter: AttemptLimiter) {
    this.#limiter = limiter;
  }

  /**
   * Counts a request in all windows that apply to it, or in none.
   * @param path below /api
   * @param session `undefined` to count the request towards the client's address.
   */
  async take(
    { method, url }: Request,
    path: string,
    session: Session | undefined,
    address: string,
    now: Instant,
  ): Promise<RateLimitResult> {
    const isProtecting = PROTECTING.match(path)?.route.operations.has(method);
    const counters = countersOf(isProtecting ? undefined : session, address);
    const cost = costOf(url, path);
    return this.#limiter.take(
      counters.map((counter) => ({ ...counter, cost })),
      now,
    );
  }

  /**
   * Counts a message to the tools of the Model Context Protocol. Calls count towards the plan as
   * well, so the limit here is the sum of the plan's limit and the dashboard's.
   * @param key `undefined` to count the message towards the client's address.
   */
  async takeMessage(
    key: KeyRecord | undefined,
    address: () => string,
    now: Instant,
  ): Promise<RateLimitResult> {
    if (!key) return this.#limiter.take(countersOf(undefined, address()), now);
    const limits = {
      perMinute: OF_ACCOUNT.perMinute + key.limits.perMinute,
      perDay: OF_ACCOUNT.perDay + key.limits.perDay,
    };
    return this.#limiter.take([{ caller: `mcp account:${key.accountId}`, limits }], now);
  }
}

/** The refusal of a request that was not admitted. */
export function tooManyRequests(result: RateLimitResult, now: Instant) {
  return new DashboardError(
    'rate_limited',
    'Your open pages and programs have sent too many requests to the dashboard. ' +
      `Wait ${describeWait(result.resetIn)}, then try again.`,
    { headers: refusalHeaders(result, now) },
  );
}

function countersOf(session: Session | undefined, address: string): AttemptCounter[] {
  if (!session) return [{ caller: `dashboard address:${address}`, limits: OF_ADDRESS }];
  return [
    { caller: `dashboard session:${session.id}`, limits: OF_SESSION },
    { caller: `dashboard account:${session.account.id}`, limits: OF_ACCOUNT },
  ];
}

function costOf(url: string, path: string): number {
  const query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : '');
  // A file is asked for by its format.
  if (query.has('format')) return COSTS.download;
  if (path.endsWith('/usage/requests')) return COSTS.report;
  if (path === '/messages' && query.get('text')) return COSTS.report;
  if (INDEXED.test(path)) return 1;
  return FILTERS.some((name) => query.get(name)) ? COSTS.filteredList : 1;
}
