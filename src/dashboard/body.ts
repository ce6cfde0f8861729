import type { XSchema } from 'typebox/schema';
import { bodyParser } from '../http/body-validator.ts';
import type { Expectations } from '../http/expectations.ts';
import { readJsonBody } from '../http/json-body.ts';

/** The largest body of the dashboard's API, in bytes. */
const MAX_BODY_BYTES = 16 * 1024;

/**
 * Makes a function that reads a request's body and checks it against the schema of an object. Other
 * media types than JSON are refused, because another site's page can send them without a preflight.
 * @returns a function that throws ApiError `invalid_json`, `invalid_body`,
 *   `unsupported_content_type` or `body_too_large`.
 */
export function bodyReader<const Schema extends XSchema>(
  schema: Schema,
  expectations: Expectations,
) {
  const parse = bodyParser(schema, expectations);
  return async (request: Request) => parse(await readJsonBody(request, MAX_BODY_BYTES));
}
