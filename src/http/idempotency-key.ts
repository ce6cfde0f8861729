import { IDEMPOTENCY_KEY_MAX_LENGTH } from '../contract/operations.ts';
import { ApiError } from '../core/errors.ts';

/** Marks a reply as the first one to its `Idempotency-Key`, given once more. */
export const REPLAYED = { 'Idempotent-Replayed': 'true' };

/**
 * The name that a client gave its request, so that it may be sent again.
 * @throws ApiError `invalid_parameter`
 */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const key = headers.get('idempotency-key');
  if (key === null) return undefined;
  if (/^[!-~]+$/.test(key) && key.length <= IDEMPOTENCY_KEY_MAX_LENGTH) return key;
  throw new ApiError(
    'invalid_parameter',
    `The header "Idempotency-Key" must have 1 to ${IDEMPOTENCY_KEY_MAX_LENGTH} printable ASCII characters, without spaces.`,
  );
}
