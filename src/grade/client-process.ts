import { setTimeout as timeout } from 'node:timers/promises';
import { processEnvironment } from '../config/config.ts';
import { OperatorError } from '../core/errors.ts';
import { SECOND } from '../lib/clock.ts';
import type { ClientRun } from './scenario.ts';

/** How long a client may take until its first request, in ms. */
const START_TIME = 30 * SECOND;

/** How long what a client wrote may take to arrive after its end, in ms. */
const OUTPUT_TIME = SECOND;

/** Characters of a client's output that are kept. */
const MAX_OUTPUT = 1_000_000;

/** How a client is run. */
export interface ClientOptions {
  /** Added to its environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** How long it may take from its first request on, in ms. */
  readonly timeLimit: number;
  readonly firstRequest: Promise<void>;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/**
 * Runs the client to its end, or until its time is up. Whatever it started in its process group ends with it.
 * @throws OperatorError when it cannot be started.
 */
export async function runClient(
  command: readonly string[],
  { variables, timeLimit, firstRequest, signal }: ClientOptions,
): Promise<Omit<ClientRun, 'requests'>> {
  signal.throwIfAborted();
  const child = spawn(command, variables);
  const endGroup = () => killGroup(child.pid);
  signal.addEventListener('abort', endGroup);
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const ended = new AbortController();
  try {
    const exitCode = await Promise.race([
      child.exited,
      timeIsUp(firstRequest, timeLimit, ended.signal),
    ]);
    endGroup();
    await child.exited;
    await Promise.race([
      Promise.all([stdout.done, stderr.done]),
      timeout(OUTPUT_TIME, undefined, { signal: ended.signal }),
    ]);
    signal.throwIfAborted();
    return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    ended.abort();
    signal.removeEventListener('abort', endGroup);
  }
}

function spawn(command: readonly string[], variables: Readonly<Record<string, string>>) {
  try {
    return Bun.spawn([...command], {
      env: { ...processEnvironment(), ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
  } catch (cause) {
    throw new OperatorError(`Cannot run ${command[0]}. Is it installed?`, { cause });
  }
}

/** Resolves with nothing when the client has had its time. */
async function timeIsUp(
  firstRequest: Promise<void>,
  timeLimit: number,
  signal: AbortSignal,
): Promise<undefined> {
  try {
    await Promise.race([firstRequest, timeout(START_TIME, undefined, { signal })]);
    await timeout(timeLimit, undefined, { signal });
  } catch {
    // The client ended by itself.
  }
  return undefined;
}

/** The group has the id of the client, which leads it. */
function killGroup(id: number): void {
  try {
    process.kill(-id, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

/** Reads output to its end. */
function collect(stream: ReadableStream<Uint8Array>): {
  readonly done: Promise<void>;
  text(): string;
} {
  let text = '';
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      text = (text + decoder.decode(bytes, { stream: true })).slice(0, MAX_OUTPUT);
    }
  };
  return { done: read(), text: () => text };
}
