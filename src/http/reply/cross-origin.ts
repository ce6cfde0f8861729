import { HEADERS, REQUEST_HEADERS } from '../headers.ts';
import { REQUEST_ID_HEADER } from '../request-id.ts';
import { SIMULATE_HEADER } from '../simulation/headers.ts';

/*
 * CORS (the Fetch standard, 3.3): pages of any origin may send any request to the API and read any reply, without
 * credentials such as cookies. A request is authenticated by its key alone.
 */

/** Request headers of the API, for clients that ask for none: `*` would not cover `Authorization`. */
const ALLOWED_HEADERS = [
  // Browsers send Accept-Encoding themselves; simulations are only in staging.
  ...REQUEST_HEADERS.flatMap(({ name }) =>
    name === 'Accept-Encoding' || name === SIMULATE_HEADER ? [] : [name],
  ),
  ...[REQUEST_ID_HEADER, 'traceparent', 'tracestate'],
].join(', ');
const ALLOWED_HEADERS_WITH_SIMULATIONS = `${ALLOWED_HEADERS}, ${SIMULATE_HEADER}`;

/** How long browsers may remember a preflight, in seconds; they have lower limits of their own. */
const PREFLIGHT_MAX_AGE = '86400';

/** Names of headers that a preflight asks for (RFC 9110, 5.6.2); longer lists are not echoed. */
const ASKED_HEADERS = /^[\w!#$%&'*+.^`|~, \t-]{1,4096}$/;
const TOKEN = /^[\w!#$%&'*+.^`|~-]{1,64}$/;

/** Methods that browsers send without permission; others are refused unless a preflight lists them. */
const SAFELISTED_METHODS: readonly string[] = ['GET', 'HEAD', 'POST'];

/** The headers with which pages of other origins may read a reply. */
export const CROSS_ORIGIN: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': [...Object.keys(HEADERS), 'Allow'].join(', '),
};

/** Whether a browser asks for permission to send a request to another origin. */
export function isPreflight({ method, headers }: Request): boolean {
  return (
    method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')
  );
}

/**
 * The headers of the reply to a preflight, which allow what it asks for, so that the page sees the reply to its request
 * even if that is an error.
 * @param allow the methods of the path.
 * @param hasSimulations whether clients may ask for simulations.
 */
export function preflightHeaders(
  { headers }: Request,
  allow: string,
  hasSimulations: boolean,
): Readonly<Record<string, string>> {
  const known = hasSimulations ? ALLOWED_HEADERS_WITH_SIMULATIONS : ALLOWED_HEADERS;
  return {
    'Access-Control-Allow-Methods': withMethod(allow, headers.get('access-control-request-method')),
    'Access-Control-Allow-Headers': withHeaders(
      known,
      headers.get('access-control-request-headers'),
    ),
    'Access-Control-Max-Age': PREFLIGHT_MAX_AGE,
  };
}

function withMethod(allow: string, asked: string | null): string {
  if (asked === null || !TOKEN.test(asked) || SAFELISTED_METHODS.includes(asked)) return allow;
  return allow.split(', ').includes(asked) ? allow : `${allow}, ${asked}`;
}

function withHeaders(known: string, asked: string | null): string {
  if (asked === null || !ASKED_HEADERS.test(asked)) return known;
  const names = new Set(known.toLowerCase().split(', '));
  const others = asked.split(/[, \t]+/).filter((name) => {
    if (name === '' || names.has(name.toLowerCase())) return false;
    names.add(name.toLowerCase());
    return true;
  });
  return [known, ...others].join(', ');
}
