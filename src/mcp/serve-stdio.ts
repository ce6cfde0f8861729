import { Readable, type Writable } from 'node:stream';
import { INVALID_REQUEST } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Contract } from '../api/operations.ts';
import type { Environment } from '../core/environments.ts';
import { SECOND } from '../lib/clock.ts';
import { withTimeout } from '../lib/timeout.ts';
import type { ApiAddresses } from './api-tools.ts';
import { messageIdProblem } from './message-id.ts';
import { OpenRequests } from './open-requests.ts';
import { createToolServer, listTools, STDIO_REVISIONS } from './tool-server.ts';

/** How long the API may take to reply, in ms. */
const REPLY_TIMEOUT = 30 * SECOND;

interface StdioOptions {
  /** The API key, and the environment that it belongs to. */
  readonly key: string;
  readonly environment: Environment;
  readonly addresses: ApiAddresses;
  /** The operations that are tools. */
  readonly contract: Contract;
  /** Receives errors other than those in replies. */
  report(error: unknown): void;
}

/**
 * Serves the tools on stdin and stdout, which must not be used for anything else.
 * @returns when stdin has ended and the requests are answered, or stdout cannot be written.
 */
export async function serveTools(options: StdioOptions): Promise<void> {
  const { key, environment, addresses, contract, report } = options;
  const list = listTools(environment, addresses, contract);
  const connection = {
    authorization: `Bearer ${key}`,
    send: (request: Request, signal: AbortSignal) =>
      fetch(request, { signal: AbortSignal.any([signal, AbortSignal.timeout(REPLY_TIMEOUT)]) }),
    failed: report,
  };
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const open = new OpenRequests();
  const replies = open.passReplies();
  replies.pipe(process.stdout);
  const messages = Readable.from(readableMessages(process.stdin, process.stdout, open));
  for (const event of ['end', 'close', 'error']) messages.once(event, () => end());
  process.stdout.once('error', () => {
    open.giveUp();
    end();
  });
  const served = serveStdio(() => createToolServer(list, connection, STDIO_REVISIONS), {
    onerror: report,
    transport: new StdioServerTransport(messages, replies),
  });
  await ended;
  await served.close();
}

/**
 * The messages that the library can read, one per line; it would drop others without a reply. Ends when all are answered,
 * because the library sends no reply after that.
 */
async function* readableMessages(
  input: Readable,
  output: Writable,
  open: OpenRequests,
): AsyncGenerator<Buffer> {
  for await (const line of linesOf(input)) {
    const problem = problemOf(line);
    if (problem === undefined) {
      open.noteReceived(line);
      yield Buffer.from(`${line}\n`);
    } else {
      const error = { code: INVALID_REQUEST, message: problem };
      output.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error })}\n`);
    }
  }
  // A request that never gets a reply must not keep the process alive.
  await withTimeout(REPLY_TIMEOUT, () => open.answered()).catch(() => {});
}

async function* linesOf(input: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of input) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** The problem with a message that the library would drop; invalid JSON is reported by the library. */
function problemOf(line: string): string | undefined {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (Array.isArray(message)) return 'Send one message in each line: batches are not served.';
  return messageIdProblem(Object(message).id);
}
