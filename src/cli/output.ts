import { ApiError, OperatorError } from '../core/errors.ts';
import { redactNamedApiKeys } from '../core/keys/api-key-redaction.ts';
import { IS_BUNDLED, IS_PACKAGE } from '../lib/bundled.ts';
import { escapeUnprintable, escapeUnprintableJson } from '../lib/unprintable.ts';

/** The command line that calls this program: the path of the executable, or npm. */
export const COMMAND = commandLine();

/** The command that starts the service. */
export const START_COMMAND = IS_BUNDLED ? `${COMMAND} serve` : 'npm start';

function commandLine(): string {
  if (Bun.isStandaloneExecutable) return shellWord(process.execPath);
  return IS_PACKAGE ? 'npx petstore' : 'npm run -s petstore --';
}

/** A text as one word of a shell command, with quotes only where it needs them. */
export function shellWord(text: string): string {
  return /^[\w@+./-]+$/.test(text) ? text : shellQuoted(text);
}

/** A text between single quotes, within which a shell replaces nothing. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A text as an argument of a command, also where it begins like an option. */
export function shellArgument(text: string): string {
  return text.startsWith('-') ? `-- ${shellWord(text)}` : shellWord(text);
}

/** Ends the process when its output cannot be written; a reader such as `head` may close it early. */
export function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    printNote(`petstore: Cannot write the output: ${error.message}.`);
    process.exit(1);
  });
}

/** Whether nobody reads the output any more. */
export function isOutputClosed(): boolean {
  return process.stdout.destroyed || process.stdout.errored !== null;
}

/** One value as JSON, on one line of stdout. */
export function printJson(value: unknown): void {
  process.stdout.write(`${escapeUnprintableJson(JSON.stringify(value))}\n`);
}

/** Prints the result of a command: as JSON if requested, otherwise as a sentence. */
export function printResult(
  { json }: { readonly json?: true },
  value: unknown,
  sentence: string,
): void {
  if (json) printJson(value);
  else printLine(sentence);
}

/** One or more lines on stdout, safe for a terminal. */
export function printLine(text: string): void {
  process.stdout.write(`${escapeLines(text)}\n`);
}

/** A note for people, on stderr: stdout holds only the result. */
export function printNote(text: string): void {
  process.stderr.write(`${noteText(text)}\n`);
}

/** Text for stderr, which often ends up in logs: arguments that it repeats may be keys by mistake. */
export function noteText(text: string): string {
  return escapeLines(redactNamedApiKeys(text));
}

/** Text of several lines, safe for a terminal. */
function escapeLines(text: string): string {
  return text.split('\n').map(escapeUnprintable).join('\n');
}

/** The message of an error on the command line, with the cause that clients do not see. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ApiError && error.cause instanceof Error) {
    return `${error.message} (${error.cause.message})`;
  }
  return error instanceof OperatorError ? error.message : `Failed: ${error.message}`;
}

/** Prints rows in columns under their headings, or a sentence if there are none. */
export function printTable(
  headings: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
  none: string,
): void {
  if (rows.length === 0) {
    printLine(none);
    return;
  }
  const lines = [headings, ...rows].map((cells) => cells.map(escapeUnprintable));
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

/** A time (epoch ms) in ISO 8601, for JSON. */
export function isoTime(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

/** A time (epoch ms) in UTC, to the second, for tables; a dash for none. */
export function formatTime(time: number | undefined): string {
  return time === undefined ? '-' : `${new Date(time).toISOString().slice(0, 19)}Z`;
}
