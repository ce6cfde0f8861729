import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { OperatorError, SetupError } from '../core/errors.ts';
import { SECOND } from '../lib/clock.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { printResult } from './output.ts';

/** How long the service may take to answer, in ms. */
const TIMEOUT = 2 * SECOND;

/** A service that listens on all addresses is asked on the loopback address. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

interface Options extends JsonOption {
  readonly ready?: true;
}

/** For health checks of containers that have no other HTTP client. */
export function addHealthCommand(program: Command): void {
  program
    .command('health')
    .description('Ask the service with these settings whether it is alive.')
    .option('--ready', 'ask whether requests should be sent to it')
    .addOption(jsonOption())
    .action(ask);
}

async function ask({ ready, ...options }: Options): Promise<void> {
  const { opsHost: host, opsPort } = readConfig();
  if (opsPort === 0) throw new SetupError('Set PETSTORE_OPS_PORT to the port of the service.');
  const name = LOOPBACK[host] ?? host;
  const authority = name.includes(':') ? `[${name}]` : name;
  const url = `http://${authority}:${opsPort}/${ready ? 'readyz' : 'livez'}`;
  const reply = await request(url);
  const answer = (await reply.text()).trim();
  if (!reply.ok) throw new OperatorError(`${url} answers ${reply.status}: ${answer}`);
  printResult(options, { url, answer }, answer);
}

async function request(url: string): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(TIMEOUT) });
  } catch (cause) {
    throw new OperatorError(
      `${url} does not answer. Is the service running, with the same PETSTORE_OPS_PORT?`,
      { cause },
    );
  }
}
