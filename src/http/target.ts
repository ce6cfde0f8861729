/** What a request is aimed at, as the request line and the Host header tell it. */
export interface Target {
  /** Host and port, lower case. */
  readonly host: string;
  /** Begins with a slash; still percent-encoded. */
  readonly path: string;
  /** What follows the question mark, without it; still percent-encoded. */
  readonly query: string;
}

const ORIGIN = /^https?:\/\/([^/?#,\s]+)(?=\/)/;

/**
 * Splits a request's address. `new URL` would throw where the Host header is missing, malformed or
 * given twice: those give `undefined`.
 */
export function parseTarget(url: string): Target | undefined {
  const origin = ORIGIN.exec(url);
  if (!origin?.[1]) return undefined;
  const start = origin[0].length;
  const fragment = url.indexOf('#', start);
  const end = fragment === -1 ? url.length : fragment;
  const mark = url.indexOf('?', start);
  const pathEnd = mark === -1 || mark > end ? end : mark;
  return {
    host: origin[1].toLowerCase(),
    path: url.slice(start, pathEnd),
    query: url.slice(pathEnd + 1, end),
  };
}
