import { type Command, Option } from 'commander';
import { readConfig } from '../config/config.ts';
import { exemptFromProxies } from '../config/process-environment.ts';
import { OperatorError, SetupError } from '../core/errors.ts';
import { SECOND, systemClock } from '../lib/clock.ts';
import { readReadyFile } from '../throwaway/ready-file.ts';
import { opsAddress } from './ops-address.ts';
import { type JsonOption, jsonOption, parseDuration } from './options.ts';
import { printResult } from './output.ts';

/** How long the service may take to answer, in ms. */
const TIMEOUT = 2 * SECOND;

/** Pause before the next attempt, in ms. */
const ASK_AGAIN_AFTER = 50;

interface Options extends JsonOption {
  readonly ready?: true;
  /** How long to wait until the service is ready, in ms. */
  readonly wait?: number;
  readonly readyFile?: string;
}

/** For health checks of containers that have no other HTTP client, and for scripts that start a service. */
export function addHealthCommand(program: Command): void {
  program
    .command('health')
    .description('Ask the service with these settings whether it is alive.')
    .option('--ready', 'ask whether requests should be sent to it')
    .addOption(
      new Option(
        '--wait <duration>',
        'wait until it is ready, at most so long, such as 10s',
      ).argParser(parseDuration),
    )
    .option('--ready-file <file>', 'ask the service that wrote this file')
    .addOption(jsonOption())
    .action(checkHealth);
}

async function checkHealth(options: Options): Promise<void> {
  const { wait } = options;
  const deadline = systemClock.now().elapsed + (wait ?? 0);
  for (;;) {
    try {
      await ask(options);
      return;
    } catch (error) {
      const left = deadline - systemClock.now().elapsed;
      if (!(error instanceof OperatorError) || error instanceof SetupError || left <= 0)
        throw error;
      await Bun.sleep(Math.min(ASK_AGAIN_AFTER, left));
    }
  }
}

async function ask(options: Options): Promise<void> {
  const isReadinessAsked = options.ready ?? options.wait !== undefined;
  const url = `${await addressFor(options)}/${isReadinessAsked ? 'readyz' : 'livez'}`;
  const { ok, status, answer } = await request(url, options);
  if (!ok) throw new OperatorError(`${url} answers ${status}: ${answer}`);
  printResult(options, { url, answer }, answer);
}

async function addressFor({ readyFile }: Options): Promise<string> {
  if (readyFile !== undefined) {
    return (await readReadyFile(readyFile)).addresses.ops;
  }
  const { opsHost, opsPort } = readConfig();
  if (opsPort === 0) throw new SetupError('Set PETSTORE_OPS_PORT to the port of the service.');
  return opsAddress(opsHost, opsPort);
}

interface Reply {
  readonly ok: boolean;
  readonly status: number;
  readonly answer: string;
}

async function request(url: string, { readyFile }: Options): Promise<Reply> {
  // The service is on this machine: a proxy would answer in its place.
  exemptFromProxies([new URL(url).hostname]);
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT) });
    return { ok: reply.ok, status: reply.status, answer: (await reply.text()).trim() };
  } catch (cause) {
    const question =
      readyFile === undefined
        ? 'Is the service running, with the same PETSTORE_OPS_PORT?'
        : `Is the service that wrote ${readyFile} running?`;
    throw new OperatorError(`${url} does not answer. ${question}`, { cause });
  }
}
