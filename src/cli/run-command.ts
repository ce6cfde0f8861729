import { constants } from 'node:os';
import type { Command } from 'commander';
import type { RunningService } from '../app.ts';
import { PARTS, processEnvironment } from '../config/config.ts';
import { readThrowawayConfig } from '../config/throwaway.ts';
import { APIS, type Environment } from '../core/environments.ts';
import { OperatorError } from '../core/errors.ts';
import { beginEphemeral, type Ephemeral } from '../ephemeral/ephemeral.ts';
import { createLog, LineWriter } from '../observability/log.ts';
import { CommandExit } from './errors.ts';
import { start } from './serve.ts';

const STDERR = 2;

/** Signals that are passed on. The terminal itself sends SIGINT to the command. */
export const PASSED_ON = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

/** Exit code of a command that was ended by a signal: this and the signal's number, as in a shell. */
const ENDED_BY_SIGNAL = 128;

const signalNumbers = new Map<string, number>(Object.entries(constants.signals));

interface Options {
  readonly fixture?: string;
}

export function addRunCommand(program: Command): void {
  program
    .command('run')
    .description(
      'Run a command with a service to throw away, whose addresses and keys it finds in its environment.',
    )
    .option('--fixture <file>', 'what the service begins with; - for standard input')
    .argument('<command...>', 'the command and its arguments, after --')
    .passThroughOptions()
    .action(run);
}

async function run(command: readonly string[], { fixture }: Options): Promise<void> {
  const config = readThrowawayConfig(processEnvironment());
  const log = createLog(config.logLevel, new LineWriter(STDERR));
  using ephemeral = await beginEphemeral(config, fixture);
  const service = await start(ephemeral.config, log, PARTS, ephemeral);
  try {
    const code = await exitCodeOf(command, addressesAndKeys(service, ephemeral));
    throw new CommandExit(code);
  } finally {
    await service.stop();
  }
}

/** What the command finds in its environment. */
export function addressesAndKeys(
  service: RunningService,
  { keys }: Ephemeral,
): Record<string, string> {
  const keyOf = (environment: Environment) =>
    keys.find((each) => each.environment === environment)?.key ?? '';
  const addresses = APIS.map((part) => {
    const name = part === 'production' ? 'PETSTORE_URL' : `PETSTORE_${part.toUpperCase()}_URL`;
    return [name, service.baseUrl(part)];
  });
  return {
    ...Object.fromEntries(addresses),
    PETSTORE_KEY: keyOf('production'),
    PETSTORE_STAGING_KEY: keyOf('staging'),
  };
}

/** Runs the command to its end, and passes signals on to it. */
async function exitCodeOf(
  command: readonly string[],
  added: Readonly<Record<string, string>>,
): Promise<number> {
  const child = spawn(command, added);
  const passOn = (signal: NodeJS.Signals) => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of PASSED_ON) process.on(signal, passOn);
  try {
    await child.exited;
  } finally {
    for (const signal of PASSED_ON) process.off(signal, passOn);
  }
  return child.exitCode ?? exitCodeOfSignal(String(child.signalCode));
}

/** The exit code of what a signal has ended. */
export function exitCodeOfSignal(signal: string): number {
  return ENDED_BY_SIGNAL + (signalNumbers.get(signal) ?? 0);
}

function spawn(command: readonly string[], added: Readonly<Record<string, string>>) {
  try {
    return Bun.spawn([...command], {
      env: { ...processEnvironment(), ...added },
      stdio: ['inherit', 'inherit', 'inherit'],
    });
  } catch (cause) {
    throw new OperatorError(`Cannot run ${command[0]}. Is it installed?`, { cause });
  }
}
