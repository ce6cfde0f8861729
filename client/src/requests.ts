import type { ApiRequest } from './exchange.ts';
import { requireInt64 } from './int64.ts';
import { stringifyMembers } from './json.ts';
import type { ChangeOptions, CreatePetOptions, Int64, ListQuery } from './types.ts';

const ENTITY_TAG = '(?:W/)?"[!#-~]*"';
const IF_MATCH = new RegExp(`^(?:\\*|${ENTITY_TAG}(?:[ \\t]*,[ \\t]*${ENTITY_TAG})*)$`);

/** The fields of a JSON body; those that are `undefined` are left out. */
type Members = Readonly<Record<string, Int64 | string | undefined>>;

/** A request for a list. @throws {TypeError | RangeError} for a cursor that is no exact int64. */
export function list(url: string, { limit, status, after }: ListQuery<string>): ApiRequest {
  const parameters = new URLSearchParams();
  if (limit !== undefined) parameters.set('limit', String(limit));
  if (status !== undefined) parameters.set('status', status);
  if (after !== undefined) parameters.set('after', String(requireInt64('after', after)));
  return { method: 'GET', url: parameters.size === 0 ? url : `${url}?${parameters}` };
}

/** A request that creates something. @throws {TypeError} for an unusable key. */
export function creation(
  url: string,
  members: Members,
  { idempotencyKey = newIdempotencyKey() }: CreatePetOptions,
): ApiRequest {
  if (!/^[!-~]{1,255}$/.test(idempotencyKey)) {
    throw new TypeError('idempotencyKey must be 1 to 255 printable ASCII characters, no spaces');
  }
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey };
  return { method: 'POST', url, headers, body: stringifyMembers(members) };
}

/** A request that changes some fields (RFC 7396). @throws {TypeError} for an unusable tag. */
export function change(url: string, members: Members, options: ChangeOptions): ApiRequest {
  const headers = { 'Content-Type': 'application/merge-patch+json', ...ifMatchHeader(options) };
  return { method: 'PATCH', url, headers, body: stringifyMembers(members) };
}

/** A request that deletes something. @throws {TypeError} for an unusable tag. */
export function deletion(url: string, options: ChangeOptions): ApiRequest {
  return { method: 'DELETE', url, headers: ifMatchHeader(options) };
}

/** 128 random bits. `crypto.randomUUID` would be missing on pages that are not served over https. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function ifMatchHeader({ ifMatch }: ChangeOptions): Readonly<Record<string, string>> {
  if (ifMatch === undefined) return {};
  // A value that is not sent, such as `null`, would make the change unconditional.
  if (IF_MATCH.test(ifMatch)) return { 'If-Match': ifMatch };
  throw new TypeError('ifMatch must be the ETag of a reply, with its quotes, a list of such, or *');
}
