import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { runTool } from './tools.ts';

/* Runs Lighthouse, which npx downloads, on one page. */

const LIGHTHOUSE = 'lighthouse@13.5.0';

/** How often a page is tried: browsers on a busy machine abort now and then. */
const ATTEMPTS = 3;

/** The longest reason of a failure, in characters: output may contain screenshots as base64. */
const LONGEST_REASON = 300;

type AuditName =
  | 'interactive'
  | 'largest-contentful-paint'
  | 'total-blocking-time'
  | 'total-byte-weight';

/** The part of Lighthouse's report that is used; its format is defined by Lighthouse. */
export interface LighthouseReport {
  readonly categories: Readonly<
    Record<'performance' | 'accessibility', { readonly score: number | null }>
  >;
  readonly audits: Readonly<Record<AuditName, { readonly numericValue?: number }>>;
  /** The speed of the processor as Lighthouse measured it, which other programs reduce. */
  readonly environment: { readonly benchmarkIndex: number };
  /** Present if the page could not be measured. */
  readonly runtimeError?: { readonly message: string };
}

interface Options {
  /** The folder for the report. */
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Called with the reason when an attempt has failed and another one follows. */
  onRetry?(reason: string): void;
}

interface Measurement {
  readonly address: string;
  /** The value of the `Cookie` header; nobody is signed in if it is omitted. */
  readonly cookie?: string | undefined;
  readonly categories: ReadonlyArray<keyof LighthouseReport['categories']>;
  /** Emulates a desktop computer instead of a phone. */
  readonly isDesktop?: boolean;
}

/** The command that measures a page. */
export function lighthouseCommand(measurement: Measurement): readonly string[] {
  const { address, cookie, categories, isDesktop = false } = measurement;
  return [
    ...['npx', '--yes', LIGHTHOUSE, address, '--quiet', '--output', 'json'],
    ...(cookie === undefined ? [] : ['--extra-headers', JSON.stringify({ cookie })]),
    ...(isDesktop ? ['--preset', 'desktop'] : []),
    ...['--throttling-method', 'simulate', '--only-categories', categories.join()],
    ...['--chrome-flags=--headless --no-sandbox --disable-gpu'],
  ];
}

/**
 * The report of a page. A page whose measurement is aborted is tried again.
 * @param command the program with its arguments; gets `--output-path` with the path of the report.
 * @throws Error with the reason of the last attempt if all of them fail.
 */
export async function lighthouseReport(
  command: readonly string[],
  options: Options,
): Promise<LighthouseReport> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptReport(command, options);
    } catch (error) {
      const reason = messageOf(error);
      if (attempt === ATTEMPTS) throw new Error(reason);
      options.onRetry?.(reason);
    }
  }
}

/** Points of 100. */
export function points({ score }: LighthouseReport['categories']['performance']): number {
  return Math.round((score ?? 0) * 100);
}

/** The value of an audit, in its unit; `NaN` if it was not measured. */
export function auditValue({ audits }: LighthouseReport, name: AuditName): number {
  return audits[name].numericValue ?? Number.NaN;
}

async function attemptReport(
  command: readonly string[],
  { folder, environment = {} }: Options,
): Promise<LighthouseReport> {
  const path = join(folder, 'report.json');
  await Bun.file(path)
    .delete()
    .catch(() => undefined);
  const failure = await runTool([...command, '--output-path', path], {
    cwd: folder,
    environment,
  }).then(() => undefined, messageOf);
  const report = await readReport(path);
  if (report?.runtimeError) throw new Error(shortened(report.runtimeError.message));
  if (failure === undefined && report) return report;
  throw new Error(shortened(failure ?? 'There is no report.'));
}

async function readReport(path: string): Promise<LighthouseReport | undefined> {
  const file = Bun.file(path);
  // The format is defined by Lighthouse.
  return (await file.exists()) ? ((await file.json()) as LighthouseReport) : undefined;
}

/** The last line without encoded data. */
function shortened(text: string): string {
  const lines = text.split('\n').map((line) => line.replaceAll(/[\w+/=-]{80,}/g, '…').trim());
  return (lines.filter((line) => line !== '').at(-1) ?? '').slice(0, LONGEST_REASON);
}
