/** A string, a number or word, or one character of punctuation. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[^\s{}[\]:,"]+|[{}[\]:,]/g;

const OPENING = /^[{[]$/;
const CLOSING = /^[}\]]$/;

/**
 * Indents JSON by two spaces and leaves every string and number unchanged. Parsing it would round
 * integers beyond 2^53. Text that is not JSON is returned unchanged.
 */
export function indentJson(text: string): string {
  if (!isJson(text)) return text;
  const tokens = text.match(TOKEN) ?? [];
  let depth = 0;
  const written = tokens.map((token, index) => {
    const before = tokens[index - 1] ?? '';
    if (CLOSING.test(token)) depth -= 1;
    const line = begins(token, before) ? `\n${'  '.repeat(depth)}` : '';
    if (OPENING.test(token)) depth += 1;
    return line + token + (token === ':' ? ' ' : '');
  });
  return written.join('');
}

/** Whether a token begins a line; empty objects and arrays stay on one line. */
function begins(token: string, before: string): boolean {
  if (CLOSING.test(token)) return !OPENING.test(before);
  return before === ',' || OPENING.test(before);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
