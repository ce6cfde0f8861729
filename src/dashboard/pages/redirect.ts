import { parseTarget } from '../../http/target/request-target.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The canonical address of a page that was requested with a trailing slash, or by a host name other
 * than the one in the dashboard's address. Cookies and the CSRF check work only with that host
 * name.
 * @param isPage whether the application has a page at a path.
 * @returns the address with the query of the request; `undefined` when the requested one is canonical.
 */
export function canonicalAddress(
  { url, headers }: Request,
  path: string,
  dashboardUrl: string,
  isPage: (path: string) => boolean,
): string | undefined {
  const pagePath = path.length > 1 ? path.replace(/\/$/, '') : path;
  if (!isPage(pagePath)) return undefined;
  const host = headers.get('host');
  const { hostname, port } = new URL(dashboardUrl);
  const requested = URL.parse(`http://${host}`);
  const isOtherName =
    requested !== null &&
    requested.port === port &&
    requested.hostname !== hostname &&
    LOOPBACK.has(requested.hostname) &&
    LOOPBACK.has(hostname);
  if (!isOtherName && pagePath === path) return undefined;
  const query = parseTarget(url, host)?.query;
  return dashboardUrl + pagePath + (query ? `?${query}` : '');
}
