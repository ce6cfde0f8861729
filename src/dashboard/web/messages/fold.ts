/** Maximum size of a text that is shown in full, in code points and in lines. */
const MOST_CHARACTERS = 280;
const MOST_LINES = 5;

/**
 * The beginning of a long text; `undefined` for a text that is short enough to be shown in full.
 */
export function fold(text: string): string | undefined {
  const lines = text.split('\n');
  const top = lines.slice(0, MOST_LINES).join('\n');
  // A code point has at most two UTF-16 units, so this prefix suffices and splits none of them.
  const characters = Array.from(top.slice(0, 2 * (MOST_CHARACTERS + 1)));
  if (characters.length > MOST_CHARACTERS) return characters.slice(0, MOST_CHARACTERS).join('');
  return lines.length > MOST_LINES ? top : undefined;
}
