const QUOTED_STRING = /"(?:[^"\\]|\\.)*"/g;

/** A weight of nothing but zeros: what it belongs to is not accepted. */
const NO_WEIGHT = /^q\s*=\s*(?:0+\.?0*|\.0+)$/i;

/** A longer header value, in characters, is disregarded, so that no request spends long on it. */
const MAX_LENGTH = 1_000;

/** Ranges that JSON matches; the first one that a client names decides. Java's own client sends the last one. */
const RANGES = ['application/json', 'application/*', '*/*', '*'];

/**
 * Whether a client accepts JSON (RFC 9110, 12.5.1). Parameters other than the weight are ignored.
 * @param accept the value of its `Accept`; a client without one accepts anything.
 */
export function acceptsJson(accept: string | null): boolean {
  if (accept === null || accept.trim() === '' || accept.length > MAX_LENGTH) return true;
  const accepted = new Map<string, boolean>();
  for (const element of accept.replaceAll(QUOTED_STRING, '').split(',')) {
    const [range = '', ...parameters] = element.split(';').map((part) => part.trim());
    accepted.set(range.toLowerCase(), !parameters.some((parameter) => NO_WEIGHT.test(parameter)));
  }
  const named = RANGES.find((range) => accepted.has(range));
  return named !== undefined && accepted.get(named) === true;
}
