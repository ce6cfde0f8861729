/**
 * Text that could be part of a secret: no name or path of the service has such a long run of letters and
 * digits, percent-encoded or not.
 */
const COULD_BE_SECRET = /(?:[0-9A-Za-z]|%[0-9A-Fa-f]{2}){20,}/g;

/** Text from a client, with everything hidden that could be a secret. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(COULD_BE_SECRET, '[hidden]');
}

/**
 * The path of a URL for logs and traces: without user name and query, which can contain keys, and with
 * everything in the path hidden that could be a key.
 */
export function publicPath(url: string): string {
  return withoutSecrets(url.replace(/^\w+:\/\/[^/?#]*/, '').replace(/[?#].*$/s, ''));
}
