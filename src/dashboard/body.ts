import type { XSchema } from 'typebox/schema';
import type { Expectations } from '../http/body/expectations.ts';
import { bodyReader as bodyReaderUpTo } from '../http/body/json-body.ts';

/** The largest body of the dashboard's API, in bytes. */
const MAX_BODY_BYTES = 16 * 1024;

/**
 * Reads bodies as the API's operations do, with the dashboard's limit. Media types other than JSON
 * are refused, because pages of other sites can send them without a preflight.
 */
export function bodyReader<const Schema extends XSchema>(body: Schema, expectations: Expectations) {
  return bodyReaderUpTo({ body, expectations }, MAX_BODY_BYTES);
}
