import type { XSchema } from 'typebox/schema';
import type { Expectations } from '../http/expectations.ts';
import { bodyReader as bodyReaderUpTo } from '../http/json-body.ts';

/** The largest body of the dashboard's API, in bytes. */
const MAX_BODY_BYTES = 16 * 1024;

/**
 * As for the API's operations, with the dashboard's limit. Other media types than JSON are refused, because
 * another site's page can send them without a preflight.
 */
export function bodyReader<const Schema extends XSchema>(body: Schema, expectations: Expectations) {
  return bodyReaderUpTo({ body, expectations }, MAX_BODY_BYTES);
}
