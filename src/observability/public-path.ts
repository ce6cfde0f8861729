/** Text that could be an API key: no name or path of the service has such a long run of letters and digits. */
const COULD_BE_KEY = /[0-9A-Za-z]{20,}/g;

/** Text chosen by a client, with everything that could be an API key hidden. */
export function withoutKeys(text: string): string {
  return text.replaceAll(COULD_BE_KEY, '[hidden]');
}

/**
 * The path of a URL as logs and traces may show it: without user name and query, which can contain keys,
 * and with everything in the path hidden that could be a key.
 */
export function publicPath(url: string): string {
  return withoutKeys(url.replace(/^\w+:\/\/[^/?#]*/, '').replace(/[?#].*$/s, ''));
}
