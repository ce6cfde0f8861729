/*
 * What the server writes into the page: there are no inline scripts to hand it over.
 */

/** Path below which the dashboard lies, without a slash at its end; '' at the root. */
export const basePath = setting('base-path');

/** What marks our own style elements under the page's content security policy. */
export const styleNonce = setting('style-nonce');

function setting(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}
