import type { XSchema } from 'typebox/schema';
import { ApiError } from '../core/errors.ts';
import type { Expectations } from '../http/body/expectations.ts';
import { bodyReader as bodyReaderUpTo } from '../http/body/json-body.ts';

/** The largest body of the dashboard's API, in bytes. */
const MAX_BODY_BYTES = 16 * 1024;

/** Which texts a field may have, by field, as far as a schema cannot express it. */
type Rules = Readonly<Record<string, (text: string) => boolean>>;

/**
 * Reads bodies as the API's operations do, with the dashboard's limit. Media types other than JSON
 * are refused, because pages of other sites can send them without a preflight.
 */
export function bodyReader<const Schema extends XSchema>(
  body: Schema,
  expectations: Expectations,
  rules: Rules = {},
) {
  const problemOf = (field: string, value: unknown) =>
    typeof value !== 'string' || rules[field]?.(value)
      ? undefined
      : `"${field}" must be ${expectations[field]}`;
  const checks = Object.fromEntries(
    Object.keys(rules).map((field) => [field, (value: unknown) => problemOf(field, value)]),
  );
  const loadChecks = async () => checks;
  const read = bodyReaderUpTo({ body, expectations, loadChecks }, MAX_BODY_BYTES);
  return async (request: Request) => {
    const sent = await read(request);
    for (const field of Object.keys(rules)) {
      const problem = problemOf(field, Object(sent)[field]);
      if (problem !== undefined) throw new ApiError('invalid_body', `${problem}.`);
    }
    return sent;
  };
}
