import { StorageUnavailable } from '../core/errors.ts';
import type { DashboardOptions } from './options.ts';
import { Refused, refusalReply } from './refused.ts';

/** A Content-Security-Policy, directive by directive. */
export type ContentPolicy = Readonly<Record<string, readonly string[]>>;

/** For replies that are no pages: nothing in them is to be run, shown or framed. */
const DATA_POLICY: ContentPolicy = { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] };

const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** One year, in seconds. */
const HTTPS_STAYS = 31_536_000;

/**
 * What a page may load and reach: its own origin, and the API at the addresses given.
 * @param styles where styles may come from besides our own files.
 */
export function pagePolicy(
  addresses: DashboardOptions['addresses'],
  styles: readonly string[],
): ContentPolicy {
  const api = [addresses.production, addresses.staging, addresses.quickstart];
  return {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'", ...styles],
    'img-src': ["'self'", 'data:'],
    'font-src': ["'self'"],
    'connect-src': ["'self'", ...new Set(api.map((address) => new URL(address).origin))],
    'base-uri': ["'none'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
  };
}

/** As the header wants it. */
export function writePolicy(policy: ContentPolicy): string {
  return Object.entries(policy)
    .map(([directive, sources]) => [directive, ...sources].join(' '))
    .join('; ');
}

/**
 * Sets what protects the reader on a reply of the dashboard, and gives it back. A page that brings
 * its own Content-Security-Policy keeps it.
 */
export function secured(response: Response, dashboardUrl: string): Response {
  const { headers } = response;
  for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
  if (!headers.has('Content-Security-Policy')) {
    headers.set('Content-Security-Policy', writePolicy(DATA_POLICY));
  }
  if (dashboardUrl.startsWith('https:')) {
    headers.set('Strict-Transport-Security', `max-age=${HTTPS_STAYS}`);
  }
  return response;
}

/**
 * Refuses what another site makes a browser send. Cookies go along with such requests; so whatever
 * changes something has to show that it comes from our own pages.
 */
export function refuseForeign(request: Request, dashboardUrl: string): Response | undefined {
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  const site = request.headers.get('sec-fetch-site');
  const origin = request.headers.get('origin');
  const isOurs =
    (site !== null || origin !== null) &&
    (site === null || site === 'same-origin') &&
    (origin === null || origin === new URL(dashboardUrl).origin);
  if (isOurs) return undefined;
  return refusalReply(
    new Refused('forbidden', `This can only be done from the pages at ${dashboardUrl}.`),
  );
}

/** The reply to a failure. Its cause is logged; the reader learns only whether to try again. */
export function failed(error: unknown, log: DashboardOptions['log']): Response {
  if (error instanceof StorageUnavailable) {
    log.error({ err: error }, 'store unavailable');
    const headers = { 'Retry-After': '1' };
    return refusalReply(new Refused('unavailable', error.message, { headers }));
  }
  log.error({ err: error }, 'dashboard failed');
  return refusalReply(FAILED);
}

const FAILED = new Refused(
  'failed',
  'The service failed to do this. Try again; if it goes on, tell the operator.',
);
