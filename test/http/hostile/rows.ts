import { HOST, KEY, message } from '../bad-input/rows.ts';

/** A malformed request as latin-1 text; `{key}` stands for a valid API key. */
export interface HostileRow {
  readonly name: string;
  readonly bytes: string;
  /** It is cut off: nothing follows, and the client closes its sending half. */
  readonly isCut?: true;
}

/** The id that a malformed request has where its headers can be read, and that of a request inside its body. */
export const BAD_ID = 'hostile-bad';
export const INNER_ID = 'hostile-inner';
/** The id of the good request that follows on the same connection. */
export const NEXT_ID = 'hostile-next';

const id = (value: string) => `X-Request-Id: ${value}`;

/** A request with these lines after its request line; it does not ask to close the connection. */
export function request(line: string, headers: readonly string[] = [], body = ''): string {
  return message([line, HOST, KEY, id(BAD_ID), ...headers], body);
}

/** A request without a Host header of its own. */
export function hostless(line: string, ...headers: string[]): string {
  return message([line, KEY, id(BAD_ID), ...headers]);
}

/** A whole request for the body of another one: it must never be answered. */
export const INNER = message(['GET /v1/pets?limit=1 HTTP/1.1', HOST, KEY, id(INNER_ID)]);

/** The good request that follows a malformed one. */
export const NEXT = message([
  'GET /v1/pets?limit=1 HTTP/1.1',
  HOST,
  KEY,
  id(NEXT_ID),
  'Connection: close',
]);

/** A readable name for bytes. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 48 ? `${text.slice(0, 48)}… (${text.length})` : text);
}
