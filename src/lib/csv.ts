type CsvValue = string | number | boolean | null;

/** Lines of CSV (RFC 4180), with a header line. */
export function csv(names: readonly string[], rows: ReadonlyArray<readonly CsvValue[]>): string {
  return [names, ...rows].map(csvLine).join('');
}

/** A line of CSV. `null` is an empty field. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(field).join(',')}\r\n`;
}

/** Text that a spreadsheet would interpret as a formula is prefixed with an apostrophe. */
function field(value: CsvValue): string {
  if (typeof value !== 'string') return String(value ?? '');
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
