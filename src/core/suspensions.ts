import { UNPRINTABLE } from '../lib/unprintable.ts';

/** The longest reason of a suspension, in characters. */
const REASON_MAX_LENGTH = 500;

/**
 * The source of a regular expression with the flag `u`: why an account is suspended, perhaps with white space
 * around it, which is not part of it.
 */
export const REASON_PATTERN = `^\\s*[^\\s${UNPRINTABLE}][^${UNPRINTABLE}]{0,${REASON_MAX_LENGTH - 1}}\\s*$`;

/** What `REASON_PATTERN` requires, for people. */
export const REASON_RULE = `1 to ${REASON_MAX_LENGTH} characters on one line`;

const REASON = new RegExp(REASON_PATTERN, 'u');

/** Since when an account is suspended (epoch ms), and why. Its holder reads the reason. */
export interface Suspension {
  readonly at: number;
  readonly reason: string;
}

/** The reason without the white space around it; `undefined` when no suspension can have it. */
export function parseReason(text: string): string | undefined {
  return REASON.test(text) ? text.trim() : undefined;
}
