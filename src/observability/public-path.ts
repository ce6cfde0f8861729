/** What of a text could be a key: no name or path of ours holds so long a run of letters and digits. */
const COULD_BE_KEY = /[0-9A-Za-z]{20,}/g;

/** A text that a client chose, with what could be a key in it hidden. */
export function withoutKeys(text: string): string {
  return text.replaceAll(COULD_BE_KEY, '[hidden]');
}

/**
 * The path of an address as logs and traces may show it: user names and queries can carry keys, and so
 * does a path that a key was pasted into.
 */
export function publicPath(url: string): string {
  return withoutKeys(url.replace(/^\w+:\/\/[^/?#]*/, '').replace(/[?#].*$/s, ''));
}
