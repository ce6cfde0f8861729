import type { Awaitable } from '../../lib/awaitable.ts';
import { systemClock } from '../../lib/clock.ts';

type Server = Bun.Server<undefined>;

/**
 * Handles one request.
 * @param server gives access to the connection of the request.
 * @param isTargetMalformed whether the target held a raw backslash, which `request.url` shows as a slash, or
 *   could hold a hidden one.
 */
export type RequestHandler = (
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

/** A path, with `{parameters}` or without, that contains nothing else that Bun's router takes for a pattern. */
const SERVED_PATH = /^(?:[\w/.~-]|\{\w+\})+$/;

/** Replaces bytes that cannot be percent-decoded. */
const REPLACEMENT_CHARACTER = '\ufffd';

/** Paths with more segments are never served. */
export const MAX_SEGMENTS = 16;

/** Up to this many segments, paths with an empty segment are matched, too: they are not served, but checked. */
const MAX_SEGMENTS_BESIDE_EMPTY = 6;

/**
 * Options for `Bun.serve` that add what it lacks:
 *
 * - Targets with a raw backslash are reported as malformed. Bun parses the target as a WHATWG URL, which
 *   turns backslashes into slashes, so that a path could evade the path rules of a proxy. Bun's own router
 *   matches the path as it was sent, so one pattern for each number of segments gives access to the raw
 *   segments. A target that could hide a backslash is reported, too: one with a bad percent-encoding, or with
 *   so many segments that no pattern matches.
 * - Replies to HEAD have a `Date` (RFC 9110, 6.6.1).
 *
 * @param servedPaths paths that are served often, with `{parameters}`. A request that matches one can have a
 *   backslash only in a parameter, so that no other segment has to be read.
 */
export function serveOptions(handle: RequestHandler, servedPaths: Iterable<string>): ServeOptions {
  const reply = (request: Request, server: Server, isTargetMalformed: boolean) => {
    const response = handle(request, server, isTargetMalformed);
    return request.method === 'HEAD' ? withDate(response) : response;
  };
  const routes: ServeOptions['routes'] = {};
  const served = [...servedPaths].filter((path) => SERVED_PATH.test(path));
  const patterns = served.map((path) => path.replaceAll(/\{(\w+)\}/g, ':$1'));
  for (const pattern of [...RAW_SEGMENT_PATTERNS, '/', '//', ...patterns]) {
    const segments = pattern.slice(1).split('/');
    routes[pattern] = pattern.includes(':')
      ? (request, server) => reply(request, server, isMalformed(request, segments))
      : (request, server) => reply(request, server, request.url.includes('\\'));
  }
  return { routes, fetch: (request, server) => reply(request, server, true) };
}

/** Patterns of the router for paths of any number of segments, with and without a trailing slash. */
function* rawSegmentPatterns(): Generator<string> {
  for (let count = 1; count <= MAX_SEGMENTS; count += 1) {
    const segments = Array.from({ length: count }, (_, index) => `:segment${index}`);
    yield `/${segments.join('/')}`;
    yield `/${segments.join('/')}/`;
    if (count > MAX_SEGMENTS_BESIDE_EMPTY) continue;
    for (let empty = 0; empty <= count; empty += 1) {
      yield `/${segments.toSpliced(empty, 0, '').join('/')}/`;
      if (empty < count) yield `/${segments.toSpliced(empty, 0, '').join('/')}`;
    }
  }
}

const RAW_SEGMENT_PATTERNS = [...rawSegmentPatterns()];

/**
 * Whether the target holds a raw backslash, or a bad percent-encoding that could hide one; an encoded
 * backslash, `%5C`, is allowed.
 * @param segments of the pattern that the path matches.
 */
function isMalformed({ url, params }: RoutedRequest, segments: readonly string[]): boolean {
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
  if (backslashes > (path.match(/%5c/gi)?.length ?? 0)) return true;
  if (!isUndecodable) return false;
  // A bad percent-encoding consumes the two characters after the percent sign, which may be a backslash. None
  // was consumed if the parsed path has the same segments.
  const parsed = path.slice(1).split('/');
  const sent = segments.map((each) => (each.startsWith(':') ? params[each.slice(1)] : each));
  const last = sent.length - 1;
  return (
    parsed.length !== sent.length ||
    parsed.some((segment, index) => decodedByRouter(segment, index === last) !== sent[index])
  );
}

const BAD_ENCODING = /%(?![\da-f]{2})../gi;
/** Here Bun's router replaces only the percent sign. */
const CUT_ENCODING = /%(?=.?$)/;

/**
 * A segment of a parsed address as Bun's router would decode it. A truncated percent-encoding is left as it
 * is, except in the last segment: before a slash it looks as if a backslash and a dot had been there.
 */
function decodedByRouter(segment: string, isLast: boolean): string {
  const whole = segment.replaceAll(BAD_ENCODING, REPLACEMENT_CHARACTER);
  const valid = isLast ? whole.replace(CUT_ENCODING, REPLACEMENT_CHARACTER) : whole;
  // In a query, a plus sign would be a space, and an ampersand would end the value.
  const value = valid.replaceAll('+', '%2B').replaceAll('&', '%26');
  return new URLSearchParams(`=${value}`).get('') ?? '';
}

async function withDate(response: Awaitable<Response>): Promise<Response> {
  const dated = await response;
  // Like the Date that the runtime adds to other replies: not by the service's clock.
  dated.headers.set('Date', new Date(systemClock.now().wall).toUTCString());
  return dated;
}
