import { spelledJoiners } from './joiners.ts';

/**
 * Characters that must not reach a terminal unescaped, as the content of a character class of a regular
 * expression (flag `u`): control characters, direction marks, zero-width, blank and other invisible characters,
 * and line separators. They could hide or reorder text, or control the terminal. Variation selectors are not
 * included: emoji need them.
 */
const UNPRINTABLE =
  '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u2065\\u2800\\u3164\\uffa0\\ufff0-\\ufff8' +
  '\\u{1d159}\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}';

const UNPRINTABLES = new RegExp(`[${UNPRINTABLE}]`, 'gu');

/** Whether the text contains unprintable characters, other than joiners that are part of a word or an emoji. */
export function hasUnprintable(text: string): boolean {
  if (text.search(UNPRINTABLES) === -1) return false;
  const joiners = spelledJoiners(text);
  return Array.from(text.matchAll(UNPRINTABLES)).some(({ index }) => !joiners.has(index));
}

/**
 * Whether the text is a line that can be read: 1 to `maxLength` code points without unprintable characters, and not only
 * white space and variation selectors. White space around it does not count.
 */
export function isPrintableLine(text: string, maxLength: number): boolean {
  const line = text.trim();
  return Array.from(line).length <= maxLength && HAS_VISIBLE.test(line) && !hasUnprintable(line);
}

const HAS_VISIBLE = /[^\s\p{VS}]/u;

/** Escapes unprintable characters for a terminal, such as `\u{202e}`. */
export function escapeUnprintable(text: string): string {
  const joiners = spelledJoiners(text);
  return text.replace(UNPRINTABLES, (character, offset: number) =>
    joiners.has(offset) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** Writes unprintable characters as JSON escapes such as `\u202e`; the value stays the same. */
export function escapeUnprintableJson(json: string): string {
  return json.replace(UNPRINTABLES, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}
