import { isPrintableLine } from '../../lib/unprintable.ts';

/** The longest reason of a suspension, in characters. */
const REASON_MAX_LENGTH = 500;

/** What the reason of a suspension must be, for users. */
export const REASON_RULE = `1 to ${REASON_MAX_LENGTH} characters on one line`;

/** When (epoch ms) and why an account was suspended. The reason is shown to its holder. */
export interface Suspension {
  readonly at: number;
  readonly reason: string;
}

/** The reason without the white space around it; `undefined` when it is invalid. */
export function parseReason(text: string): string | undefined {
  return isPrintableLine(text, REASON_MAX_LENGTH) ? text.trim() : undefined;
}
