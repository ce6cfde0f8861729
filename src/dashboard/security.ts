import { transportSecurity } from '../http/reply/transport-security.ts';
import { DashboardError } from './errors.ts';
import type { DashboardOptions } from './options.ts';

/** A Content-Security-Policy, directive by directive. */
type ContentPolicy = Readonly<Record<string, readonly string[]>>;

/** For replies other than pages: their content must not run, load anything or be framed. */
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

/**
 * The policy of the application's pages: they may use their own origin, and the API at the given
 * addresses.
 * @param styles sources of styles in addition to the dashboard's own files.
 */
export function pagePolicy(
  addresses: DashboardOptions['addresses'],
  styles: readonly string[],
): ContentPolicy {
  return {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'", ...styles],
    'img-src': ["'self'", 'data:'],
    'font-src': ["'self'"],
    'connect-src': ["'self'", ...originsOf(addresses)],
    'base-uri': ["'none'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
  };
}

/**
 * The policy of the reference's pages: they may use their own files, and the API at every address.
 * @param forms targets of forms that are sent without a script.
 */
export function referencePolicy(
  addresses: DashboardOptions['addresses'],
  forms: "'none'" | "'self'" = "'none'",
): ContentPolicy {
  return {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'"],
    'font-src': ["'self'"],
    'connect-src': ["'self'", ...originsOf(addresses)],
    'base-uri': ["'none'"],
    'form-action': [forms],
    'frame-ancestors': ["'none'"],
    'require-trusted-types-for': ["'script'"],
  };
}

/** The origins of the API. */
function originsOf(addresses: DashboardOptions['addresses']): ReadonlySet<string> {
  const { dashboard, ...api } = addresses;
  return new Set(Object.values(api).map((address) => new URL(address).origin));
}

/** The policy as the value of the header. */
export function writePolicy(policy: ContentPolicy): string {
  return Object.entries(policy)
    .map(([directive, sources]) => [directive, ...sources].join(' '))
    .join('; ');
}

/**
 * Sets the security headers of a reply of the dashboard, and returns the reply. A page with its own
 * Content-Security-Policy keeps it.
 */
export function secured(response: Response, dashboardUrl: string): Response {
  const { headers } = response;
  for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
  if (!headers.has('Content-Security-Policy')) {
    headers.set('Content-Security-Policy', writePolicy(DATA_POLICY));
  }
  for (const [name, value] of Object.entries(transportSecurity(dashboardUrl))) {
    headers.set(name, value);
  }
  return response;
}

/**
 * The refusal of a request that another site triggers in a browser (CSRF); `undefined` for other
 * requests. Browsers add cookies to such requests, so a request that changes something must prove
 * that it comes from the dashboard's own pages.
 */
export function foreignRefusal(request: Request, dashboardUrl: string): Error | undefined {
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  const site = request.headers.get('sec-fetch-site');
  const origin = request.headers.get('origin');
  const isOurs =
    (site !== null || origin !== null) &&
    (site === null || site === 'same-origin') &&
    (origin === null || origin === new URL(dashboardUrl).origin);
  if (isOurs) return undefined;
  const message = `This can only be done from the pages at ${dashboardUrl}.`;
  return new DashboardError('other_site', message);
}
