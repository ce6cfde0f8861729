import { type Command, InvalidArgumentError, Option } from 'commander';
import { type RunningService, startService } from '../compose.ts';
import { readConfig } from '../config.ts';
import { systemClock } from '../core/clock.ts';
import { ENVIRONMENTS, type Environment, isEnvironment } from '../core/environments.ts';
import { createLog, type Log } from '../log.ts';
import { printLine } from './output.ts';

const FIRST_KEY_COMMAND = 'npm run -s petstore -- keys create you@example.com';

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('Run the service until SIGTERM or SIGINT.')
    .addOption(
      new Option('--only <parts>', `some of ${ENVIRONMENTS.join(',')}`)
        .argParser(parseParts)
        .default([...ENVIRONMENTS], 'everything'),
    )
    .option('--json', 'log JSON lines on a terminal, too')
    .action(serve);
}

async function serve({ only, json }: { only: Environment[]; json?: true }): Promise<void> {
  const config = readConfig();
  const onTerminal = process.stdout.isTTY === true && !json;
  const log = createLog(config.logLevel, onTerminal);
  const told = signalled();
  const service = await startService(config, { clock: systemClock, log, environments: only });
  const hasKey = await service.stores.keys.any();
  if (onTerminal) printBanner(service, only, hasKey);
  else logStart(log, service, only, hasKey);
  log.info({ signal: await told }, 'stopping');
  await service.stop();
  log.info('stopped');
}

function logStart(log: Log, service: RunningService, only: Environment[], hasKey: boolean): void {
  const addresses = Object.fromEntries(only.map((name) => [name, service.baseUrl(name)]));
  const next = hasKey ? {} : { next: FIRST_KEY_COMMAND };
  log.info({ port: service.port, ...addresses, ...next }, 'listening');
}

function printBanner(service: RunningService, only: Environment[], hasKey: boolean): void {
  printLine('');
  printLine('  Petstore is ready.');
  printLine('');
  for (const name of only) printLine(`  ${name.padEnd(12)}${service.baseUrl(name)}`);
  printLine(`  ${'reference'.padEnd(12)}${service.baseUrl(only[0] ?? 'production')}/openapi.json`);
  printLine('');
  if (hasKey) return;
  printLine('  There is no API key yet. Make the first one, in another terminal:');
  printLine(`    ${FIRST_KEY_COMMAND}`);
  printLine('');
}

/** Resolves with the name of the first signal; a second one ends the process at once. */
function signalled(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      resolve(signal);
      process.on(signal, () => process.exit(1));
    });
  }
  return promise;
}

function parseParts(text: string): Environment[] {
  const parts = [...new Set(text.split(','))];
  const known = parts.filter(isEnvironment);
  if (known.length === parts.length) return known;
  throw new InvalidArgumentError(`Use some of ${ENVIRONMENTS.join(',')}.`);
}
