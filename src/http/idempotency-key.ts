import type { Parameter } from './operation.ts';
import { headerParameter } from './target/parameters.ts';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** The header of a replayed reply. */
export const IDEMPOTENT_REPLAYED = 'Idempotent-Replayed';

/** The longest Idempotency-Key, in characters. */
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255;

/** The `Idempotency-Key` header, with which a client may send a request again safely. */
export function idempotencyKeyParameter(
  description: string,
): Parameter<typeof IDEMPOTENCY_KEY, string | undefined> {
  const schema = { minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_LENGTH, pattern: '^[!-~]+$' };
  return headerParameter(IDEMPOTENCY_KEY, schema, {
    description,
    isGenerated: true,
    refusal: `The header "${IDEMPOTENCY_KEY}" must have 1 to ${IDEMPOTENCY_KEY_MAX_LENGTH} printable ASCII characters, without spaces.`,
  });
}

/** Whether an operation takes an `Idempotency-Key`, so that its requests are safe to repeat. */
export function takesIdempotencyKey({
  parameters = [],
}: {
  readonly parameters?: ReadonlyArray<{ readonly name: string }>;
}): boolean {
  return parameters.some(({ name }) => name === IDEMPOTENCY_KEY);
}

/** Marks a replay of the first reply to an `Idempotency-Key`. */
export const REPLAYED = { [IDEMPOTENT_REPLAYED]: 'true' };
