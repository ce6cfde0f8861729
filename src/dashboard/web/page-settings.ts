/*
 * Settings that the server writes into the page as `meta` elements, because inline scripts are forbidden.
 */

/** The path of the dashboard's address, without a trailing slash; '' at the root. */
export const basePath = setting('base-path');

/** The nonce of style elements under the page's Content-Security-Policy. */
export const styleNonce = setting('style-nonce');

/** Whether the page was requested with a session cookie; the session may have ended. */
export const hasSession = setting('has-session') === 'true';

/** Which pages the service does not have, see `shared/unserved.ts`. */
export const unserved = setting('unserved');

function setting(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}
