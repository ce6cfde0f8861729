/**
 * One exchange: its name, the sent bytes as latin-1 text (`{key}` stands for a valid API key), and
 * the expected replies:
 *
 * - `400 invalid_json`: the service answers with this status and Error code;
 * - `200`: the service answers with success;
 * - `400 parser`: the HTTP parser answers without a body, before the service receives a request;
 * - `closed`: the connection is closed without a reply.
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

/** A message from its lines; the body follows the empty line unchanged. */
export function message(lines: readonly string[], body = ''): string {
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** A valid GET that is the last request of its connection. */
export function get(target: string, ...headers: string[]): string {
  return message([`GET ${target} HTTP/1.1`, HOST, KEY, CLOSE, ...headers]);
}

/** Like `get`, with another method. */
export function send(method: string, target: string, ...headers: string[]): string {
  return message([`${method} ${target} HTTP/1.1`, HOST, KEY, CLOSE, ...headers]);
}

/** A request to create a pet with this body, without Content-Length unless it is among the headers. */
export function create(body: string, ...headers: string[]): string {
  return message([CREATE, HOST, KEY, CLOSE, JSON_TYPE, ...headers], body);
}

/** A complete request to create a pet. */
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
