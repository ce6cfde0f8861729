import { UNPRINTABLE } from '../lib/unprintable.ts';
import { KEY_NAME_MAX_LENGTH } from './api-keys.ts';

const REST = KEY_NAME_MAX_LENGTH - 1;

/**
 * The source of a regular expression with the flag `u`: a key's name, perhaps with white space around it, which
 * is not part of it. Variation selectors are no unprintable characters, but nothing is seen of them alone.
 */
export const KEY_NAME_PATTERN = `^(?=[^]*[^\\s\\p{VS}])\\s*[^\\s${UNPRINTABLE}][^${UNPRINTABLE}]{0,${REST}}\\s*$`;

/** What `KEY_NAME_PATTERN` requires, for people. */
export const KEY_NAME_RULE = `1 to ${KEY_NAME_MAX_LENGTH} characters on one line, without invisible characters and direction marks`;

const KEY_NAME = new RegExp(KEY_NAME_PATTERN, 'u');

/** The name without the white space around it; `undefined` when no key can have it. */
export function parseKeyName(text: string): string | undefined {
  return KEY_NAME.test(text) ? text.trim() : undefined;
}
