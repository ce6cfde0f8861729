import { ApiError } from '../core/errors.ts';
import type { Operation, Parameter } from './operation.ts';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** The header of a replayed reply. */
export const IDEMPOTENT_REPLAYED = 'Idempotent-Replayed';

/** The longest Idempotency-Key, in characters. */
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255;

/** The `Idempotency-Key` header as a parameter of an operation. */
export function idempotencyKeyParameter(description: string): Parameter {
  return {
    name: IDEMPOTENCY_KEY,
    in: 'header',
    required: false,
    description,
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: IDEMPOTENCY_KEY_MAX_LENGTH,
      pattern: '^[!-~]+$',
    },
  };
}

/** Whether an operation takes an `Idempotency-Key`, so that its requests are safe to repeat. */
export function takesIdempotencyKey({ parameters = [] }: Pick<Operation, 'parameters'>): boolean {
  return parameters.some(({ name }) => name === IDEMPOTENCY_KEY);
}

/** The error message for a malformed `Idempotency-Key`. */
export const BAD_IDEMPOTENCY_KEY = `The header "${IDEMPOTENCY_KEY}" must have 1 to ${IDEMPOTENCY_KEY_MAX_LENGTH} printable ASCII characters, without spaces.`;

/** Marks a replay of the first reply to an `Idempotency-Key`. */
export const REPLAYED = { [IDEMPOTENT_REPLAYED]: 'true' };

/**
 * The key of a request, with which the client may send the request again safely.
 * @throws ApiError `invalid_parameter`
 */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const key = headers.get('idempotency-key');
  if (key === null) return undefined;
  if (/^[!-~]+$/.test(key) && key.length <= IDEMPOTENCY_KEY_MAX_LENGTH) return key;
  throw new ApiError('invalid_parameter', BAD_IDEMPOTENCY_KEY);
}
