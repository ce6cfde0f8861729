/** The target of a request, from its request line and its Host header. */
export interface Target {
  /** Host and port, lower case. */
  readonly host: string;
  /** Starts with a slash; percent-encoded, except for unreserved characters. */
  readonly path: string;
  /** The part after the question mark; still percent-encoded. */
  readonly query: string;
}

const HOST = /^(?:\[[\da-f:.]+\]|[\w.~-]+)(?::\d*)?$/i;

/**
 * Splits the address of a request. Returns `undefined` where the Host header is missing, malformed or given
 * twice (RFC 9112, 3.2); `new URL` would throw, or accept it.
 * @param host the Host header; one given twice arrives joined by a comma.
 */
export function parseTarget(url: string, host: string | null): Target | undefined {
  if (host === null || !HOST.test(host) || !url.startsWith('http')) return undefined;
  const start = url.indexOf('/', url.indexOf('://') + 3);
  if (start === -1) return undefined;
  const fragment = url.indexOf('#', start);
  const end = fragment === -1 ? url.length : fragment;
  const mark = url.indexOf('?', start);
  const pathEnd = mark === -1 || mark > end ? end : mark;
  return {
    host: host.toLowerCase(),
    path: decodeUnreserved(url.slice(start, pathEnd)),
    query: url.slice(pathEnd + 1, end),
  };
}

/** A letter, digit, hyphen, dot, underscore or tilde, percent-encoded. */
const ENCODED_UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

/** A longer path, in characters, is served nowhere, so it is not decoded. */
const MAX_DECODED_LENGTH = 2_000;

/** Decodes percent-encoded unreserved characters, which are equivalent to plain ones (RFC 3986, 6.2.2.2). */
export function decodeUnreserved(path: string): string {
  if (path.length > MAX_DECODED_LENGTH || !path.includes('%')) return path;
  return path.replace(ENCODED_UNRESERVED, (encoded) =>
    String.fromCharCode(Number.parseInt(encoded.slice(1), 16)),
  );
}
