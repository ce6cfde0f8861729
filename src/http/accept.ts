/** A media range with its weight (RFC 9110, 12.5.1). Other parameters are ignored. */
const ELEMENT =
  /^\s*(?<range>[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)\s*(?:;(?!\s*q\s*=)[^;]*)*(?:;\s*q\s*=\s*(?<weight>[01](?:\.\d*)?)\s*(?:;.*)?)?$/i;
const QUOTED_STRING = /"(?:[^"\\]|\\.)*"/g;

/** A longer header value, in characters, is disregarded, so that no request spends long on it. */
const MAX_LENGTH = 1_000;

/** Ranges that JSON matches; the first one that a client names decides. */
const RANGES = ['application/json', 'application/*', '*/*'];

/**
 * Whether a client accepts JSON.
 * @param accept the value of its `Accept`; a client without one accepts anything.
 */
export function acceptsJson(accept: string | null): boolean {
  if (accept === null || accept.trim() === '' || accept.length > MAX_LENGTH) return true;
  const weights = new Map<string, number>();
  for (const element of accept.replaceAll(QUOTED_STRING, '').split(',')) {
    const { range, weight = '1' } = ELEMENT.exec(element)?.groups ?? {};
    if (range) weights.set(range.toLowerCase(), Number(weight));
  }
  const named = RANGES.find((range) => weights.has(range));
  return named !== undefined && weights.get(named) !== 0;
}
