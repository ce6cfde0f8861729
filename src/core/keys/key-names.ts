import { isPrintableLine } from '../../lib/unprintable.ts';
import { KEY_NAME_MAX_LENGTH } from './api-keys.ts';

/** What the name of a key must be, for users. */
export const KEY_NAME_RULE = `1 to ${KEY_NAME_MAX_LENGTH} characters on one line, without invisible characters and direction marks`;

/** The name without the white space around it; `undefined` when it is invalid. */
export function parseKeyName(text: string): string | undefined {
  return isPrintableLine(text, KEY_NAME_MAX_LENGTH) ? text.trim() : undefined;
}
