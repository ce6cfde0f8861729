const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The canonical address of a page that was requested with a trailing slash, or by a host name other
 * than the one in the dashboard's address. Cookies and the CSRF check work only with that host
 * name.
 * @param isPage whether the application has a page at a path.
 * @returns the address without a query; `undefined` when the requested one is canonical.
 */
export function canonicalAddress(
  request: Request,
  path: string,
  dashboardUrl: string,
  isPage: (path: string) => boolean,
): string | undefined {
  const pagePath = path.length > 1 ? path.replace(/\/$/, '') : path;
  if (!isPage(pagePath)) return undefined;
  const { hostname, port } = new URL(dashboardUrl);
  const requested = URL.parse(`http://${request.headers.get('host')}`);
  const isOtherName =
    requested !== null &&
    requested.port === port &&
    requested.hostname !== hostname &&
    LOOPBACK.has(requested.hostname) &&
    LOOPBACK.has(hostname);
  return isOtherName || pagePath !== path ? dashboardUrl + pagePath : undefined;
}
