import type { Awaitable } from '../lib/awaitable.ts';
import type { Clock } from '../lib/clock.ts';

type Server = Bun.Server<undefined>;

/**
 * Handles one request.
 * @param isTargetMalformed whether the target held a raw backslash, which `request.url` shows as a slash.
 */
export type ServeHandler = (
  request: Request,
  server: Server,
  isTargetMalformed: boolean,
) => Awaitable<Response>;

/** Handlers by pattern of the path; `fetch` handles the requests that match none. */
export interface ServeOptions {
  readonly routes: Record<string, (request: RoutedRequest, server: Server) => Awaitable<Response>>;
  fetch(this: Server, request: Request, server: Server): Awaitable<Response>;
}

interface RoutedRequest extends Request {
  /** The segments of the path as they were sent, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** A path, perhaps with `{parameters}`, in which the router finds no patterns of its own. */
const SERVED_PATH = /^(?:[\w/.~-]|\{\w+\})+$/;

/** Stands for what cannot be percent-decoded. */
const REPLACEMENT_CHARACTER = '\ufffd';

/** Paths with more segments are never served. */
const MAX_SEGMENTS = 16;

/**
 * Options for `Bun.serve` that add what it lacks:
 *
 * - Raw backslashes in the target are reported. Bun parses the target as a WHATWG URL, which turns them
 *   into slashes, so that a path could pass by the path rules of a proxy. Bun's own router matches the
 *   path as it was sent, so one pattern for each number of segments shows the raw segments.
 * - Replies to HEAD have a `Date` (RFC 9110, 6.6.1).
 *
 * @param servedPaths paths that are served often, with `{parameters}`. A request that matches one can have
 * a backslash in a parameter alone, so that no other segment has to be read.
 */
export function serveOptions(
  handle: ServeHandler,
  servedPaths: Iterable<string>,
  clock: Clock,
): ServeOptions {
  const reply = (request: Request, server: Server, isTargetMalformed: boolean) => {
    const response = handle(request, server, isTargetMalformed);
    return request.method === 'HEAD' ? withDate(response, clock) : response;
  };
  const routes: ServeOptions['routes'] = {};
  for (let count = 1; count <= MAX_SEGMENTS; count += 1) {
    const pattern = Array.from({ length: count }, (_, index) => `/:segment${index}`).join('');
    for (const path of [pattern, `${pattern}/`]) {
      const slashes = path.split('/').length - 1;
      routes[path] = (request, server) => reply(request, server, hasBackslash(request, slashes));
    }
  }
  for (const path of ['/', ...servedPaths]) {
    if (!SERVED_PATH.test(path)) continue;
    const slashes = path.split('/').length - 1;
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1');
    routes[pattern] =
      pattern === path
        ? (request, server) => reply(request, server, request.url.includes('\\'))
        : (request, server) => reply(request, server, hasBackslash(request, slashes));
  }
  return {
    routes,
    fetch: (request, server) => reply(request, server, isUnmatchedTargetMalformed(request.url)),
  };
}

/**
 * Whether the target holds a raw backslash; an encoded one, `%5C`, is allowed.
 * @param slashes in the pattern that the path matches.
 */
function hasBackslash({ url, params }: RoutedRequest, slashes: number): boolean {
  // A query keeps its backslashes.
  if (url.includes('\\')) return true;
  let backslashes = 0;
  let isUndecodable = false;
  for (const name in params) {
    const segment = params[name] ?? '';
    if (segment.includes('\\')) backslashes += segment.split('\\').length - 1;
    if (segment.includes(REPLACEMENT_CHARACTER)) isUndecodable = true;
  }
  if (backslashes === 0 && !isUndecodable) return false;
  const path = /^\w+:\/\/[^/?#]*(\/[^?]*)/.exec(url)?.[1] ?? '';
  if (!isUndecodable) return backslashes > (path.match(/%5c/gi)?.length ?? 0);
  // A bad percent-encoding takes the two characters behind the percent sign with it, backslash or not.
  return backslashes > 0 || /%.?\//.test(path) || path.split('/').length - 1 !== slashes;
}

/**
 * Whether a target is malformed that matched no pattern: its path has an empty segment or too many. A
 * path without these after parsing had other segments resolved, and cannot be trusted.
 */
function isUnmatchedTargetMalformed(url: string): boolean {
  if (url.includes('\\')) return true;
  const [, path] = /^\w+:\/\/[^/?#]*(\/[^?#]*)/.exec(url) ?? [];
  if (path === undefined || path.includes('//')) return false;
  return path.split('/').length - 1 <= MAX_SEGMENTS;
}

async function withDate(response: Awaitable<Response>, clock: Clock): Promise<Response> {
  const dated = await response;
  dated.headers.set('Date', new Date(clock.now().wall).toUTCString());
  return dated;
}
