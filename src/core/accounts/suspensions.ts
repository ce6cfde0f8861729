import { UNPRINTABLE } from '../../lib/unprintable.ts';

/** The longest reason of a suspension, in characters. */
const REASON_MAX_LENGTH = 500;

/**
 * The source of a regular expression (flag `u`) for the reason of a suspension. White space around the reason is
 * accepted but not part of it.
 */
export const REASON_PATTERN = `^\\s*[^\\s${UNPRINTABLE}][^${UNPRINTABLE}]{0,${REASON_MAX_LENGTH - 1}}\\s*$`;

/** A description of `REASON_PATTERN` for users. */
export const REASON_RULE = `1 to ${REASON_MAX_LENGTH} characters on one line`;

const REASON = new RegExp(REASON_PATTERN, 'u');

/** When (epoch ms) and why an account was suspended. The reason is shown to its holder. */
export interface Suspension {
  readonly at: number;
  readonly reason: string;
}

/** The reason without the white space around it; `undefined` when it is invalid. */
export function parseReason(text: string): string | undefined {
  return REASON.test(text) ? text.trim() : undefined;
}
