import { fstatSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type RunningService, startService } from '../app.ts';
import { addressesOf, type Config, type Part, readConfig } from '../config/config.ts';
import { SETTINGS } from '../config/settings.ts';
import { OperatorError, SetupError, StorageUnavailable } from '../core/errors.ts';
import { SECOND, systemClock } from '../lib/clock.ts';
import { isLocalHost } from '../lib/ip-address.ts';
import { timerScheduler } from '../lib/scheduler.ts';
import { LazyLog } from '../observability/lazy-log.ts';
import { LineWriter, readable } from '../observability/line-writer.ts';
import type { Log } from '../observability/log.ts';
import { dataFolderAt } from '../storage/data-folder.ts';
import { asSetupError } from '../storage/folder/file-failures.ts';
import type { OwnReadyFile } from '../throwaway/ready-file.ts';
import type { ThrowawayService } from '../throwaway/throwaway-service.ts';
import { FAILED, UsageError } from './errors.ts';
import { COMMAND, explain, printLine, printNote, shellQuoted, watchOutput } from './output.ts';

/**
 * Ctrl-C and a service manager signal the whole process group, and npm forwards its own copy: the same signal
 * within this many ms counts once.
 */
const SAME_SIGNAL = 500;

const STDOUT = 1;

const NULL_DEVICE = '/dev/null';

/** How long writing the last lines of the log may take, in ms. */
const FLUSH_TIMEOUT = SECOND;

/** For programs that start a service: the current folder, and a file `.env` in it, may belong to another project. */
export const NO_ENV_FILE = '--no-env-file';

interface ServeOptions {
  /** The parts to serve. */
  readonly only: readonly Part[];
  /** Log JSON lines on a terminal, too. */
  readonly json?: true;
  /** Store all data in a temporary folder that is removed when the process ends. */
  readonly ephemeral?: true;
  /** File with the initial contents of a throwaway service; `-` for standard input. */
  readonly fixture?: string;
  /** File to write once requests are answered. */
  readonly readyFile?: string;
  /** Stop when standard input ends, too. */
  readonly untilStdinEnds?: true;
}

/** Runs the service until a signal stops it. */
export async function serve(options: ServeOptions): Promise<void> {
  const settings = readConfig();
  const onTerminal = !options.json && isTerminal();
  const stdout = new LineWriter(STDOUT);
  const log = new LazyLog(settings.logLevel, () => (onTerminal ? readable(stdout) : stdout));
  let exitCode: number | undefined;
  try {
    exitCode = await serveUntilSignal(options, settings, log, onTerminal);
  } finally {
    await writeHeldLines(log);
  }
  const isWritten = await stdout.flush(FLUSH_TIMEOUT);
  // A blocked reader of the log would keep the process alive.
  if (!isWritten || exitCode !== undefined) process.exit(exitCode ?? 0);
}

/** Writes what was logged before the code of the log was loaded. */
async function writeHeldLines(log: LazyLog): Promise<void> {
  try {
    await log.flush();
  } catch (error) {
    printNote(`petstore: The log cannot be written. ${explain(error)}`);
  }
}

/**
 * Runs the service until a signal stops it, or until code that it needs cannot be loaded.
 * @returns the exit code, if something could keep the process alive.
 */
async function serveUntilSignal(
  options: ServeOptions,
  settings: Config,
  log: LazyLog,
  onTerminal: boolean,
): Promise<number | undefined> {
  const { only } = options;
  const begin = await throwawayFor(options, settings);
  // Until here a signal ends the process immediately, because the fixture may be read from standard input.
  const signalled = firstSignal();
  using throwaway = begin?.();
  const config = throwaway?.config ?? settings;
  using readyFile = await openReady(options.readyFile);
  // Before the port opens, because later no descriptor may be left; only this case needs it.
  const warnings = isForOthers(config, only) ? await import('./address-warnings.ts') : undefined;
  const service = await start(config, log, only, throwaway);
  try {
    const next = (await service.stores.keys.any()) ? undefined : firstKeyCommand(config, only);
    if (readyFile) await announce(readyFile, config, service, only, throwaway);
    if (onTerminal) printBanner(service, only, next, throwaway?.keys);
    else logStart(log, service, only, next);
    warnings?.warnAboutAddresses(config, service, only, log);
  } catch (error) {
    await service.stop();
    throw error;
  }
  const { loading } = service;
  const stdinEnd = options.untilStdinEnds ? [endOfStdin()] : [];
  const signal = await Promise.race([signalled, loading.failure, ...stdinEnd]);
  log.info({ signal }, 'stopping');
  await service.stop();
  log.info('stopped');
  // An unresponsive collector, open input, and code that is still being loaded would.
  const isLoading = loading.problem !== undefined;
  if (!config.tracing && !options.untilStdinEnds && !isLoading) return undefined;
  return signal === 'loading failed' ? FAILED : 0;
}

/** Whether the service listens beyond this machine, or has public addresses that do not lead to this machine. */
function isForOthers({ host, port, addresses }: Config, only: readonly Part[]): boolean {
  const hosts = addressesOf(only).map((name) => new URL(addresses(port)[name]).hostname);
  return [host, ...hosts].some((each) => !isLocalHost(each));
}

/** Uses `process.stdout` only for devices that may be a terminal: loading Node's streams slows the start. */
function isTerminal(): boolean {
  return isDevice(STDOUT) && process.stdout.isTTY === true;
}

/** Whether this descriptor is a device other than the null device. */
function isDevice(descriptor: number): boolean {
  const file = fstatSync(descriptor);
  const nothing = statSync(NULL_DEVICE, { throwIfNoEntry: false });
  return file.isCharacterDevice() && file.rdev !== nothing?.rdev;
}

/**
 * Reads the fixture of a throwaway service, and returns the function that prepares the service.
 * @throws UsageError when a fixture is given without `--ephemeral`, or when standard input is used both
 *   for the fixture and to stop the service.
 */
async function throwawayFor(
  { ephemeral, fixture: path, untilStdinEnds }: ServeOptions,
  settings: Config,
): Promise<(() => ThrowawayService) | undefined> {
  if (!ephemeral && path !== undefined) {
    throw new UsageError('--fixture needs --ephemeral: only an empty store can be filled.');
  }
  if (path === '-' && untilStdinEnds) {
    throw new UsageError(
      '--fixture - reads standard input to its end, so --until-stdin-ends would stop the service at once.',
    );
  }
  if (!ephemeral) return undefined;
  const { beginThrowaway, readFixture } = await import('../throwaway/throwaway-service.ts');
  const fixture = await readFixture(path);
  return () => beginThrowaway(settings, fixture);
}

/** Opens the ready file, if one is set. */
async function openReady(path: string | undefined): Promise<OwnReadyFile | undefined> {
  if (path === undefined) return undefined;
  const { openReadyFile } = await import('../throwaway/ready-file.ts');
  return openReadyFile(path);
}

/** Writes the ready file. */
async function announce(
  readyFile: OwnReadyFile,
  { dataDir, opsHost }: Config,
  service: RunningService,
  parts: readonly Part[],
  throwaway: ThrowawayService | undefined,
): Promise<void> {
  const { port, opsPort } = service;
  const { opsAddress } = await import('./ops-address.ts');
  const served = addressesOf(parts);
  const addresses = Object.fromEntries(served.map((name) => [name, service.addresses[name]]));
  readyFile.write({
    pid: process.pid,
    dataDir,
    ports: { http: port, ops: opsPort },
    addresses: { ...addresses, ops: opsAddress(opsHost, opsPort) },
    keys: throwaway?.keys ?? [],
    control: await throwaway?.control(service),
  });
}

/**
 * Turns every failure at the start into a setup error, because the operator has to correct something first.
 * @param throwaway of a throwaway service, whose clients are no strangers.
 */
export async function start(
  config: Config,
  log: Log,
  parts: readonly Part[],
  throwaway?: Pick<ThrowawayService, 'clock' | 'fill' | 'watch'>,
): Promise<RunningService> {
  const { clock = systemClock, fill, watch } = throwaway ?? {};
  const isPublic = throwaway === undefined;
  try {
    const scheduler = timerScheduler;
    return await startService(config, { clock, scheduler, log, parts, isPublic, fill, watch });
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    if (cause instanceof StorageUnavailable && !config.database) {
      throw asSetupError(dataFolderAt(config.dataDir), cause);
    }
    throw new SetupError(`Cannot start. ${explain(cause)}`, { cause });
  }
}

/** The command that creates the first key for this service, for any terminal. */
function firstKeyCommand(config: Config, only: readonly Part[]): string {
  const isDefault = config.dataDir === resolve(SETTINGS.PETSTORE_DATA_DIR.default);
  // A database's address may hold a password, and is set in the environment anyway.
  const folder =
    isDefault || config.database ? '' : `PETSTORE_DATA_DIR=${shellQuoted(config.dataDir)} `;
  const command = `${folder}${COMMAND} keys create you@example.com`;
  return only.join() === 'staging' ? `${command} --environment staging` : command;
}

/** @param next the command for a first key, if there is no key yet. */
function logStart(
  log: Log,
  service: RunningService,
  only: readonly Part[],
  next: string | undefined,
): void {
  const addresses = Object.fromEntries(only.map((name) => [name, service.addresses[name]]));
  const { port, opsPort } = service;
  log.info({ port, opsPort, ...addresses, ...(next && { next }) }, 'listening');
}

function printBanner(
  service: RunningService,
  only: readonly Part[],
  next: string | undefined,
  keys: ThrowawayService['keys'] = [],
): void {
  watchOutput();
  const dashboard = only.includes('dashboard') ? service.addresses.dashboard : undefined;
  const reference = dashboard
    ? `${dashboard}/docs`
    : `${service.addresses[only[0] ?? 'production']}/openapi.json`;
  const row = (title: string, value: string) => `  ${title.padEnd(12)}${value}`;
  const rows = [
    ...only.map((name) => row(name, service.addresses[name])),
    row('reference', reference),
    ...keys.map(({ environment, key }) => row('key', `${key} (${environment})`)),
  ];
  printLine(['', '  Petstore is ready.', '', ...rows, ''].join('\n'));
  if (next === undefined) return;
  const advice = dashboard
    ? `Open ${dashboard} and make one there,\n  or make one in another terminal:`
    : 'Make the first one, in another terminal:';
  printLine(`  There is no API key yet. ${advice}\n    ${next}\n`);
}

/** Resolves when the program at the other end of standard input closes it or ends. */
async function endOfStdin(): Promise<'end of standard input'> {
  for await (const _ of Bun.stdin.stream());
  return 'end of standard input';
}

/** Resolves with the first signal; a second signal of any kind ends the process immediately. */
function firstSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let first: { signal: NodeJS.Signals; at: number } | undefined;
  const receive = (signal: NodeJS.Signals) => {
    const at = systemClock.now().elapsed;
    first ??= { signal, at };
    resolve(first.signal);
    if (signal !== first.signal || at - first.at >= SAME_SIGNAL) process.exit(1);
  };
  process.on('SIGTERM', receive);
  process.on('SIGINT', receive);
  if (!ignoresHangup()) process.on('SIGHUP', receive);
  return promise;
}

/** Whether `nohup` made this process ignore SIGHUP; a handler would undo that. */
function ignoresHangup(): boolean {
  try {
    // A mask in hexadecimal; SIGHUP is its lowest bit.
    return /^SigIgn:\s*[\da-f]*[13579bdf]$/m.test(readFileSync('/proc/self/status', 'utf8'));
  } catch {
    return false;
  }
}
