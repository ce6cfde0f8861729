/** An exact 64-bit integer: a number if its absolute value is at most 2^53 - 1, otherwise a bigint. */
export type Int64 = number | bigint;

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

const JSON_NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const INT64_DIGITS = 19;

/**
 * Parses the text of a JSON number (RFC 8259) as an exact 64-bit integer. `1.0` and `1e2` are integers as
 * defined by JSON Schema. Returns `undefined` for `1.5` and for anything outside of int64.
 */
export function parseInt64(text: string): bigint | undefined {
  const match = JSON_NUMBER.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return 0n;
  const zeros = countTrailingZeros(digits);
  const significant = digits.slice(0, digits.length - zeros);
  // A huge exponent becomes Infinity here, which the checks below reject.
  const power = Number(exponent) - fraction.length + zeros;
  if (power < 0 || significant.length + power > INT64_DIGITS) return undefined;
  const value = BigInt(`${sign}${significant}${'0'.repeat(power)}`);
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** Parses an int64 in its shortest decimal form, as ids are written; `undefined` for any other text. */
export function readInt64(text: string): bigint | undefined {
  if (!/^-?(?:0|[1-9]\d{0,18})$/.test(text)) return undefined;
  const value = BigInt(text);
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** Converts an integer to a number if its absolute value is at most 2^53 - 1. */
export function toInt64(value: bigint): Int64 {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

// A loop, because /0+$/ takes quadratic time on a long run of zeros before another digit.
function countTrailingZeros(digits: string): number {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.length - end;
}
