import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Environment } from '../core/environments.ts';
import { SECOND } from '../lib/clock.ts';
import type { ApiAddresses } from './api-tools.ts';
import { createToolServer, listTools } from './tool-server.ts';

/** How long the API may take to reply, in ms. */
const REPLY_TIMEOUT = 30 * SECOND;

interface StdioOptions {
  /** The API key, and the environment that it belongs to. */
  readonly key: string;
  readonly environment: Environment;
  readonly addresses: ApiAddresses;
  /** Is told what went wrong besides the replies. */
  report(error: unknown): void;
}

/**
 * Serves the tools on stdin and stdout, which then carry nothing else.
 * @returns when stdin ends, or stdout cannot be written.
 */
export async function serveTools(options: StdioOptions): Promise<void> {
  const { key, environment, addresses, report } = options;
  const list = listTools(environment, addresses);
  const connection = {
    authorization: `Bearer ${key}`,
    send: (request: Request, signal: AbortSignal) =>
      fetch(request, { signal: AbortSignal.any([signal, AbortSignal.timeout(REPLY_TIMEOUT)]) }),
    failed: report,
  };
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  for (const event of ['end', 'close', 'error']) process.stdin.once(event, () => end());
  process.stdout.once('error', () => end());
  const served = serveStdio(() => createToolServer(list, connection), { onerror: report });
  await ended;
  await served.close();
}
