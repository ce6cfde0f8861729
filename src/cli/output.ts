import { ApiError, OperatorError } from '../core/errors.ts';

/** How this program is called, to be typed into a shell: by npm from its source, or by its own path. */
export const COMMAND = Bun.isStandaloneExecutable
  ? Bun.$.escape(process.execPath)
  : 'npm run -s petstore --';

/** How the service is started. */
export const START_COMMAND = Bun.isStandaloneExecutable ? `${COMMAND} serve` : 'npm start';

/** A reader such as `head` may leave before the end, which is no failure; a full disk is one. */
export function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    printNote(`petstore: Cannot write the output: ${error.message}.`);
    process.exit(1);
  });
}

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

/** What went wrong, for the person at the command line; with the cause where clients see none. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ApiError && error.cause instanceof Error) {
    return `${error.message} (${error.cause.message})`;
  }
  return error instanceof OperatorError ? error.message : `Failed: ${error.message}`;
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
    const cells = line.map((cell, column) => {
      const missing = (widths[column] ?? 0) - Bun.stringWidth(cell);
      return cell + ' '.repeat(missing);
    });
    printLine(cells.join('  ').trimEnd());
  }
}

/** A moment (epoch ms) in UTC, to the second; a dash for none. */
export function formatTime(moment: number | undefined): string {
  return moment === undefined ? '-' : `${new Date(moment).toISOString().slice(0, 19)}Z`;
}
