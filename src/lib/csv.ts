type CsvValue = string | number | boolean | null;

/** Lines of CSV (RFC 4180), with a header line. */
export function csv(names: readonly string[], rows: ReadonlyArray<readonly CsvValue[]>): string {
  return [names, ...rows].map(csvLine).join('');
}

/**
 * A line of CSV. `null` is an empty field. No part of a text runs as a formula in a spreadsheet; numbers are left
 * unchanged.
 */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(field).join(',')}\r\n`;
}

/**
 * The place before a formula: at the start of the text or after a separator, possibly before characters that
 * spreadsheets skip. Libraries look only at the start of the text. But where a semicolon, a tab or a bar separates
 * cells, quotes protect only the first field of a line, so a cell may begin after any of them.
 */
const FORMULA = /(?<=^|[,;|\t\r\n])(?=[\p{C}\p{Z}"]*[=+\-@＝＋－＠])|^(?=[\t\r\n])/gu;

/** Control characters that spreadsheets and parsers cut a text at, or refuse. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for
const UNREADABLE = /[\0-\x08\v\f\x0e-\x1f\x7f]/g;

/** What a spreadsheet would run is marked as text with an apostrophe. */
function field(value: CsvValue): string {
  if (typeof value !== 'string') return String(value ?? '');
  const text = value.replace(FORMULA, "'").replace(UNREADABLE, '\ufffd');
  return /[",;|\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
