import { ApiError } from '../core/errors.ts';
import type { Parameter } from './operation.ts';

/** The longest Idempotency-Key, in characters. */
const MAX_LENGTH = 255;

/** The `Idempotency-Key` header as a parameter of an operation. */
export function idempotencyKeyParameter(description: string): Parameter {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', minLength: 1, maxLength: MAX_LENGTH, pattern: '^[!-~]+$' },
    example: '0b6f7a52-6f3e-4f0c-9d1e-2f0f4f8f5a11',
  };
}

/** Marks a reply as the first one to its `Idempotency-Key`, given once more. */
export const REPLAYED = { 'Idempotent-Replayed': 'true' };

/**
 * The name that a client gave its request, so that it may be sent again.
 * @throws ApiError `invalid_parameter`
 */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const key = headers.get('idempotency-key');
  if (key === null) return undefined;
  if (/^[!-~]+$/.test(key) && key.length <= MAX_LENGTH) return key;
  throw new ApiError(
    'invalid_parameter',
    `The header "Idempotency-Key" must have 1 to ${MAX_LENGTH} printable ASCII characters, without spaces.`,
  );
}
