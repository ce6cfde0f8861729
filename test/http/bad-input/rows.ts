/**
 * One exchange: its name, the bytes sent as latin-1 text (`{key}` stands for a valid API key), and
 * what comes back, reply by reply:
 *
 * - `400 invalid_json`: the service answers with this status and Error code;
 * - `200`: the service answers with success;
 * - `400 parser`: the HTTP parser answers, without a body, before the service sees a request;
 * - `closed`: nothing comes back and the connection is closed.
 */
export type Row = readonly [name: string, bytes: string, ...replies: string[]];

export const HOST = 'Host: localhost';
export const KEY = 'Authorization: Bearer {key}';
export const CLOSE = 'Connection: close';
export const JSON_TYPE = 'Content-Type: application/json';
export const CHUNKED = 'Transfer-Encoding: chunked';
export const PET = '{"name":"Biscuit","categoryId":7}';
export const LIST = 'GET /v1/pets HTTP/1.1';
export const CREATE = 'POST /v1/pets HTTP/1.1';

/** A message from its lines; the body follows the empty line as it is. */
export function message(lines: readonly string[], body = ''): string {
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** The last request of a connection, with everything that makes it valid. */
export function get(target: string, ...headers: string[]): string {
  return message([`GET ${target} HTTP/1.1`, HOST, KEY, CLOSE, ...headers]);
}

/** The same, of another method. */
export function send(method: string, target: string, ...headers: string[]): string {
  return message([`${method} ${target} HTTP/1.1`, HOST, KEY, CLOSE, ...headers]);
}

/** A request to create an animal, from its body on; without a length unless one is given. */
export function create(body: string, ...headers: string[]): string {
  return message([CREATE, HOST, KEY, CLOSE, JSON_TYPE, ...headers], body);
}

/** A request to create an animal, complete. */
export function post(body: string, ...headers: string[]): string {
  return create(body, `Content-Length: ${body.length}`, ...headers);
}

/** The UTF-8 bytes of a text, as latin-1 text. */
export function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** A body of NewPet with this JSON as its name. */
export function named(json: string): string {
  return post(utf8(`{"name":${json},"categoryId":7}`));
}

/** A body of NewPet with this JSON as its category. */
export function categorised(json: string): string {
  return post(utf8(`{"name":"Biscuit","categoryId":${json}}`));
}
