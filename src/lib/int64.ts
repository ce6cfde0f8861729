/** An exact 64-bit integer: a number within 2^53 - 1 either way, a bigint beyond, never rounded. */
export type Int64 = number | bigint;

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

const JSON_NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const INT64_DIGITS = 19;

/**
 * Reads the text of a JSON number (RFC 8259) as an exact 64-bit integer. `1.0` and `1e2` are
 * integers in JSON Schema's sense; `1.5`, and anything outside of int64, returns `undefined`.
 */
export function parseInt64(text: string): bigint | undefined {
  const match = JSON_NUMBER.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return 0n;
  const zeros = countTrailingZeros(digits);
  const significant = digits.slice(0, digits.length - zeros);
  // A huge exponent becomes an infinity here, which the bounds below reject.
  const power = Number(exponent) - fraction.length + zeros;
  if (power < 0 || significant.length + power > INT64_DIGITS) return undefined;
  const value = BigInt(`${sign}${significant}${'0'.repeat(power)}`);
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** The same integer as a number within 2^53 - 1, as a bigint beyond. */
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
