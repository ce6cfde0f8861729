/** One value as JSON, on one line of stdout. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** For people beside the result: on stderr, so that stdout holds the result alone. */
export function printNote(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Rows under their headings, in columns; or a sentence when there are none. */
export function printTable(
  headings: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
  none: string,
): void {
  if (rows.length === 0) {
    printLine(none);
    return;
  }
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ''))),
  );
  for (const line of lines) {
    const cells = line.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    printLine(cells.join('  ').trimEnd());
  }
}

/** A moment (epoch ms) in UTC, to the second; a dash for none. */
export function formatTime(moment: number | undefined): string {
  return moment === undefined ? '-' : `${new Date(moment).toISOString().slice(0, 19)}Z`;
}
