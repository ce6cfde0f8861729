/**
 * Characters that must not reach a terminal as they are, as the content of a regular expression's
 * class with the flag `u`: control characters, direction marks, zero-width, blank and other invisible ones,
 * and separators of lines. They could hide or reorder text, or control the terminal. Variation selectors
 * are none of these: emoji need them.
 */
export const UNPRINTABLE =
  '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u2065\\u2800\\u3164\\uffa0\\ufff0-\\ufff8' +
  '\\u{1d159}\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}';

const UNPRINTABLES = new RegExp(`[${UNPRINTABLE}]`, 'gu');

/** Whether the text has unprintable characters. */
export function hasUnprintable(text: string): boolean {
  return text.search(UNPRINTABLES) !== -1;
}

/** The text for a terminal: unprintable characters become escapes such as `\u{202e}`. */
export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLES, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}

/** JSON text of the same value, with unprintable characters as escapes of JSON, such as `\u202e`. */
export function escapeUnprintableJson(json: string): string {
  return json.replace(UNPRINTABLES, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}
