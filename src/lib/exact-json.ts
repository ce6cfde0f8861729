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

/** JSON without white space between its values, which stay unchanged. Other text is returned unchanged. */
export function compactJson(text: string): string {
  return isJson(text) ? (text.match(TOKEN) ?? []).join('') : text;
}

/**
 * Parses JSON, with integers beyond 2^53 as bigints.
 * @throws SyntaxError if the text is not JSON.
 */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_, value: unknown, { source = '' }: { source?: string } = {}) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
      ? BigInt(source)
      : value,
  );
}

/** Writes a value of `parseExactly` as JSON without white space. */
export function writeExactly(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(writeExactly).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${writeExactly(member)}`,
  );
  return `{${members.join(',')}}`;
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
