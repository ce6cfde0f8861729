import { HOST, KEY, message } from '../bad-input/rows.ts';

/** A malformed request as latin-1 text; `{key}` stands for a valid API key. */
export interface HostileRow {
  readonly name: string;
  readonly bytes: string;
  /** The request is cut off: the client closes its sending half after it. */
  readonly isCut?: true;
}

/** The id of a malformed request, if its headers can be read, and of a request inside its body. */
export const BAD_ID = 'hostile-bad';
export const INNER_ID = 'hostile-inner';
/** The id of the good request that follows on the same connection. */
export const NEXT_ID = 'hostile-next';

const id = (value: string) => `X-Request-Id: ${value}`;

/** A request with these headers; it does not ask to close the connection. */
export function request(line: string, headers: readonly string[] = [], body = ''): string {
  return message([line, HOST, KEY, id(BAD_ID), ...headers], body);
}

/** A request without a Host header, unless one is given. */
export function hostless(line: string, ...headers: string[]): string {
  return message([line, KEY, id(BAD_ID), ...headers]);
}

/** A complete request inside the body of another one: it must never be answered. */
export const INNER = message(['GET /v1/pets?limit=1 HTTP/1.1', HOST, KEY, id(INNER_ID)]);

/** The good request that follows a malformed one. */
export const NEXT = message([
  'GET /v1/pets?limit=1 HTTP/1.1',
  HOST,
  KEY,
  id(NEXT_ID),
  'Connection: close',
]);

/** A readable form of bytes, for the name of a row. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 48 ? `${text.slice(0, 48)}… (${text.length})` : text);
}
