import type { Int64 } from './types.ts';

const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);

/** Whether `value` is an int64 that has not been rounded. */
export function isInt64(value: unknown): value is Int64 {
  return typeof value === 'bigint'
    ? value >= MIN && value <= MAX
    : typeof value === 'number' && Number.isSafeInteger(value);
}

/** The integer written as `digits` (an optional minus and decimal digits), never rounded. */
export function integerFromDigits(digits: string): Int64 {
  const rounded = Number(digits);
  return Number.isSafeInteger(rounded) ? rounded : BigInt(digits);
}

/**
 * Returns the caller's `value` when it is an exact int64.
 *
 * @throws {TypeError} when it is not an integer.
 * @throws {RangeError} when it lies outside int64, or is a `number` that has already been rounded.
 */
export function requireInt64(name: string, value: Int64): Int64 {
  if (isInt64(value)) return value;
  if (typeof value === 'bigint') {
    throw new RangeError(`${name} must lie within int64, got ${value}`);
  }
  if (Number.isInteger(value)) {
    throw new RangeError(
      `${name} is a number beyond 2^53 - 1 and may already have been rounded: pass a bigint`,
    );
  }
  throw new TypeError(`${name} must be an integer, as a number or a bigint`);
}
