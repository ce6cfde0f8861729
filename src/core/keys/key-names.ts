import { UNPRINTABLE } from '../../lib/unprintable.ts';
import { KEY_NAME_MAX_LENGTH } from './api-keys.ts';

const REST = KEY_NAME_MAX_LENGTH - 1;

/**
 * The source of a regular expression (flag `u`) for the name of a key. White space around the name is accepted
 * but not part of it. Variation selectors count as printable, but a name of them alone would be invisible.
 */
export const KEY_NAME_PATTERN = `^(?=[^]*[^\\s\\p{VS}])\\s*[^\\s${UNPRINTABLE}][^${UNPRINTABLE}]{0,${REST}}\\s*$`;

/** A description of `KEY_NAME_PATTERN` for users. */
export const KEY_NAME_RULE = `1 to ${KEY_NAME_MAX_LENGTH} characters on one line, without invisible characters and direction marks`;

const KEY_NAME = new RegExp(KEY_NAME_PATTERN, 'u');

/** The name without the white space around it; `undefined` when it is invalid. */
export function parseKeyName(text: string): string | undefined {
  return KEY_NAME.test(text) ? text.trim() : undefined;
}
