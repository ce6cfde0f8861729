import { setTimeout as timeout } from 'node:timers/promises';
import { commandEnvironment } from '../config/process-environment.ts';
import { OperatorError } from '../core/errors.ts';
import { SECOND } from '../lib/clock.ts';
import type { ClientRun } from './scenario.ts';

/** How long a client may take to send its first request, in ms. */
const START_TIME = 30 * SECOND;

/** How long the output of a client may take to arrive after the client has ended, in ms. */
const OUTPUT_TIME = SECOND;

/** How much of a client's output is kept, in characters. */
const MAX_OUTPUT = 1_000_000;

/** Options for running a client. */
interface ClientOptions {
  /** Environment variables that are added for the client. */
  readonly variables: Readonly<Record<string, string>>;
  /** How long the client may take after its first request, in ms. */
  readonly timeLimit: number;
  readonly firstRequest: Promise<void>;
  /** Ends the client early. */
  readonly signal: AbortSignal;
}

/**
 * Runs the client until it ends, or until its time is up. All processes of its group end with it.
 * @throws OperatorError when the client cannot be started.
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
      env: commandEnvironment(variables),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
  } catch (cause) {
    throw new OperatorError(`Cannot run ${command[0]}. Is it installed?`, { cause });
  }
}

/** Resolves when the client's time is up. */
async function timeIsUp(
  firstRequest: Promise<void>,
  timeLimit: number,
  signal: AbortSignal,
): Promise<undefined> {
  try {
    await Promise.race([firstRequest, timeout(START_TIME, undefined, { signal })]);
    await timeout(timeLimit, undefined, { signal });
  } catch {
    // The client ended in time.
  }
  return undefined;
}

/** Ends the process group of the client; the client leads it, so both have the same id. */
function killGroup(id: number): void {
  try {
    process.kill(-id, 'SIGKILL');
  } catch {
    // All processes of the group have ended.
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
