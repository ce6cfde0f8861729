type CsvValue = string | number | boolean | null;

/** Lines of CSV (RFC 4180), the names of the columns first. */
export function csv(names: readonly string[], rows: ReadonlyArray<readonly CsvValue[]>): string {
  return [names, ...rows].map(csvLine).join('');
}

/** A line of CSV. `null` is an empty field. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(field).join(',')}\r\n`;
}

/** A text that a spreadsheet would take for a formula is quoted by an apostrophe. */
function field(value: CsvValue): string {
  if (typeof value !== 'string') return String(value ?? '');
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
