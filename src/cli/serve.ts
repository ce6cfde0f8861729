import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type RunningService, startService } from '../compose/service.ts';
import { type Config, PARTS, type Part, readConfig, SETTINGS } from '../config.ts';
import { SECOND, systemClock } from '../core/clock.ts';
import { OperatorError, SetupError } from '../core/errors.ts';
import { createLog, LineWriter, type Log, readable } from '../log.ts';
import { explain, printLine } from './output.ts';

/**
 * Ctrl-C and a service manager signal the whole group, and npm passes its own copy on: the same
 * signal again within so many ms is the same one.
 */
const SAME_SIGNAL = 500;

/** How long the last lines of the log may take, in ms. */
const LAST_LINES = SECOND;

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('Run the service until SIGTERM, SIGINT or SIGHUP.')
    .addOption(
      new Option('--only <parts>', `some of ${PARTS.join(',')}`)
        .argParser(parseParts)
        .default([...PARTS], 'everything'),
    )
    .option('--json', 'log JSON lines on a terminal, too')
    .action(serve);
}

async function serve({ only, json }: { only: Part[]; json?: true }): Promise<void> {
  const config = readConfig();
  const onTerminal = process.stdout.isTTY === true && !json;
  const stdout = new LineWriter(process.stdout.fd);
  const log = createLog(config.logLevel, onTerminal ? await readable(stdout) : stdout);
  const told = signalled();
  const service = await start(config, log, only);
  const next = (await service.stores.keys.any()) ? undefined : firstKeyCommand(config, only);
  if (onTerminal) printBanner(service, only, next);
  else logStart(log, service, only, next);
  log.info({ signal: await told }, 'stopping');
  await service.stop();
  log.info('stopped');
  // A write that nobody takes would hold the process for as long.
  if (!(await stdout.flush(LAST_LINES))) process.exit(0);
}

/** Whatever keeps the service from starting has to be put right first, foreseen or not. */
async function start(config: Config, log: Log, parts: Part[]): Promise<RunningService> {
  try {
    return await startService(config, { clock: systemClock, log, parts });
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new SetupError(`Cannot start. ${explain(cause)}`, { cause });
  }
}

/** Makes its key where this service looks for it, from whatever terminal it is typed into. */
function firstKeyCommand(config: Config, only: Part[]): string {
  const isDefault = config.dataDir === resolve(SETTINGS.PETSTORE_DATA_DIR.default);
  // Its address may hold a password, and whoever types the command has it set.
  const folder = isDefault || config.database ? '' : `PETSTORE_DATA_DIR='${config.dataDir}' `;
  const command = `${folder}npm run -s petstore -- keys create you@example.com`;
  return only.join() === 'staging' ? `${command} --environment staging` : command;
}

/** @param next what to do next, when there is no key yet. */
function logStart(log: Log, service: RunningService, only: Part[], next: string | undefined): void {
  const addresses = Object.fromEntries(only.map((name) => [name, service.baseUrl(name)]));
  const { port, opsPort } = service;
  log.info({ port, opsPort, ...addresses, ...(next && { next }) }, 'listening');
}

function printBanner(service: RunningService, only: Part[], next: string | undefined): void {
  printLine('');
  printLine('  Petstore is ready.');
  printLine('');
  for (const name of only) printLine(`  ${name.padEnd(12)}${service.baseUrl(name)}`);
  const hasDashboard = only.includes('dashboard');
  const reference = hasDashboard
    ? `${service.baseUrl('dashboard')}/docs`
    : `${service.baseUrl(only[0] ?? 'production')}/openapi.json`;
  printLine(`  ${'reference'.padEnd(12)}${reference}`);
  printLine('');
  if (next === undefined) return;
  if (only.includes('dashboard')) {
    printLine(
      `  There is no API key yet. Open ${service.baseUrl('dashboard')} and make one there,`,
    );
    printLine('  or make one in another terminal:');
  } else printLine('  There is no API key yet. Make the first one, in another terminal:');
  printLine(`    ${next}`);
  printLine('');
}

/** Resolves with the first signal; a second one, of any kind, ends the process at once. */
function signalled(): Promise<NodeJS.Signals> {
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

/** `nohup` has SIGHUP ignored, and a handler would undo that. */
function ignoresHangup(): boolean {
  try {
    // A mask in hexadecimal; SIGHUP is its lowest bit.
    return /^SigIgn:\s*[\da-f]*[13579bdf]$/m.test(readFileSync('/proc/self/status', 'utf8'));
  } catch {
    return false;
  }
}

function parseParts(text: string): Part[] {
  const asked = [...new Set(text.split(','))];
  const known = PARTS.filter((part) => asked.includes(part));
  if (known.length === asked.length) return known;
  throw new InvalidArgumentError(`Use some of ${PARTS.join(',')}.`);
}
