const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Where a page is that was asked for by another of its names: with a slash at its end, or by another
 * name of this machine than the dashboard's address has. Cookies and the checks of who sends a form
 * know that one alone.
 * @param isPage whether the application has a page at a path.
 * @returns the address of the page, without what follows a question mark; none when it is right.
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
