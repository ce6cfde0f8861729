import { constants } from 'node:os';
import type { Command } from 'commander';
import type { RunningService } from '../app.ts';
import { PARTS } from '../config/config.ts';
import { commandEnvironment, startEnvironment } from '../config/process-environment.ts';
import { readThrowawayConfig } from '../config/throwaway.ts';
import { CLIENT_ADDRESSES } from '../config/variables.ts';
import { APIS, type Environment } from '../core/environments.ts';
import { OperatorError } from '../core/errors.ts';
import { LineWriter } from '../observability/line-writer.ts';
import { createLog } from '../observability/log.ts';
import {
  beginThrowaway,
  readFixture,
  type ThrowawayService,
} from '../throwaway/throwaway-service.ts';
import { CommandExit } from './errors.ts';
import { start } from './serve.ts';

const STDERR = 2;

/** Signals that are passed on to the command. The terminal itself sends SIGINT to it. */
export const PASSED_ON = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

/** Exit code of a command that a signal ended: this plus the signal's number, as in a shell. */
const ENDED_BY_SIGNAL = 128;

const signalNumbers = new Map<string, number>(Object.entries(constants.signals));

interface Options {
  readonly fixture?: string;
}

export function addRunCommand(program: Command): void {
  program
    .command('run')
    .description(
      'Run a command with a throwaway service, whose addresses and keys it finds in its environment.',
    )
    .option('--fixture <file>', 'what the service begins with; - for standard input')
    .argument('<command...>', 'the command and its arguments, after --')
    .passThroughOptions()
    .action(run);
}

async function run(command: readonly string[], options: Options): Promise<void> {
  const config = readThrowawayConfig(startEnvironment());
  const log = createLog(config.logLevel, new LineWriter(STDERR));
  // Until the fixture is read, a signal ends the process: standard input may stay open without data.
  const fixture = await readFixture(options.fixture);
  using signals = new CommandSignals();
  using throwaway = beginThrowaway(config, fixture);
  const service = await start(throwaway.config, log, PARTS, throwaway);
  try {
    if (signals.early) throw new CommandExit(exitCodeOfSignal(signals.early));
    const child = spawn(command, addressesAndKeys(service, throwaway));
    signals.passOnTo(child);
    await child.exited;
    throw new CommandExit(child.exitCode ?? exitCodeOfSignal(String(child.signalCode)));
  } finally {
    await service.stop();
  }
}

/**
 * Passes the signals that this process receives to its command. No signal ends this process, so that the
 * service and its folder are always removed.
 */
class CommandSignals implements Disposable {
  #child: Pick<Bun.Subprocess, 'kill'> | undefined;
  #early: NodeJS.Signals | undefined;
  readonly #receive = (signal: NodeJS.Signals) => {
    if (!this.#child) this.#early ??= signal;
    else if (signal !== 'SIGINT' || !process.stdin.isTTY) this.#child.kill(signal);
  };

  constructor() {
    for (const signal of PASSED_ON) process.on(signal, this.#receive);
  }

  /** The first signal received before the command was started. */
  get early(): NodeJS.Signals | undefined {
    return this.#early;
  }

  passOnTo(child: Pick<Bun.Subprocess, 'kill'>): void {
    this.#child = child;
  }

  [Symbol.dispose](): void {
    for (const signal of PASSED_ON) process.off(signal, this.#receive);
  }
}

/** The variables with which a command finds the service. */
export function addressesAndKeys(
  service: RunningService,
  { keys }: ThrowawayService,
): Record<string, string> {
  const keyOf = (environment: Environment) =>
    keys.find((each) => each.environment === environment)?.key ?? '';
  const addresses = APIS.map((api) => [CLIENT_ADDRESSES[api], service.addresses[api]]);
  return {
    ...Object.fromEntries(addresses),
    PETSTORE_KEY: keyOf('production'),
    PETSTORE_STAGING_KEY: keyOf('staging'),
  };
}

/** The exit code of a process that a signal ended. */
export function exitCodeOfSignal(signal: string): number {
  return ENDED_BY_SIGNAL + (signalNumbers.get(signal) ?? 0);
}

function spawn(command: readonly string[], added: Readonly<Record<string, string>>) {
  try {
    return Bun.spawn([...command], {
      env: commandEnvironment(added),
      stdio: ['inherit', 'inherit', 'inherit'],
    });
  } catch (cause) {
    throw new OperatorError(`Cannot run ${command[0]}. Is it installed?`, { cause });
  }
}
