const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The canonical address of a page that was requested with a trailing slash, or by another name of this
 * machine than the one in the dashboard's address. Cookies and the check against CSRF work with that
 * name alone.
 * @param isPage whether the application has a page at a path.
 * @returns the address without a query; `undefined` when the requested one is canonical.
 */
export function rightAddress(
  request: Request,
  path: string,
  dashboardUrl: string,
  isPage: (path: string) => boolean,
): string | undefined {
  const plain = path.length > 1 ? path.replace(/\/$/, '') : path;
  if (!isPage(plain)) return undefined;
  const here = dashboardUrl + plain;
  const { hostname, port } = new URL(dashboardUrl);
  const asked = URL.parse(`http://${request.headers.get('host')}`);
  const isNamesake =
    asked !== null &&
    asked.port === port &&
    asked.hostname !== hostname &&
    LOOPBACK.has(asked.hostname) &&
    LOOPBACK.has(hostname);
  return isNamesake || plain !== path ? here : undefined;
}
