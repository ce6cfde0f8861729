import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { Fixture, Ready } from './types.ts';

/** Interval of the checks whether the service is ready, in ms. */
const LOOK_EVERY = 5;

/** Default timeout of a start, in ms: enough for a busy machine. */
const START_TIME = 60_000;

/** Timeout of a stop, in ms: longer than the service waits for requests in flight. */
const STOP_TIME = 15_000;

/** The same for a service that was not ready in time. */
const SHORT_STOP_TIME = 1_000;

/** The options for starting a service. */
export interface StartOptions {
  readonly fixture?: Fixture;
  /**
   * The command line of the service without arguments, such as `['/usr/local/bin/petstore']`. By default the
   * executable in the environment variable `PETSTORE_EXECUTABLE`, or the package `petstore` of the
   * project.
   */
  readonly command?: readonly string[];
  /** Settings of the service, such as `PETSTORE_BAN_AFTER`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Timeout of the start, in ms; 60 s by default. */
  readonly timeoutMs?: number;
}

/** A service in a separate process, and its ready file. */
export interface StartedService {
  readonly ready: Ready;
  /** Stops the service and waits for its end. */
  stop(): Promise<void>;
}

/**
 * Starts a service and waits until it answers requests. The service ends with this process, however
 * that ends.
 * @throws Error with the output of the service if it cannot be started or is not ready in time.
 */
export async function startService(options: StartOptions): Promise<StartedService> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-testing-'));
  try {
    const readyFile = join(folder, 'ready.json');
    const child = await spawnService(options, folder, readyFile);
    const ready = await readyOf(child, readyFile, options.timeoutMs ?? START_TIME);
    return { ready, stop: () => stop(child, STOP_TIME) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function spawnService(
  { command = defaultCommand(), fixture, settings }: StartOptions,
  folder: string,
  readyFile: string,
): Promise<ChildProcess> {
  // The file `.env` of the project is for its own programs.
  const args = ['serve', '--no-env-file', '--ephemeral', '--until-stdin-ends'];
  args.push('--ready-file', readyFile);
  if (fixture !== undefined) {
    const path = join(folder, 'fixture.json');
    await writeFile(path, JSON.stringify(fixture));
    args.push('--fixture', path);
  }
  const [program = '', ...first] = command;
  return spawn(program, [...first, ...args], {
    // The service stops when this end of its standard input is closed.
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...environment(), ...settings },
  });
}

/** The environment without settings of another service, and without those of OpenTelemetry, which are for the tests. */
function environment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !/^(?:PETSTORE|OTEL)_/.test(name));
  return {
    ...Object.fromEntries(others),
    PETSTORE_PORT: '0',
    PETSTORE_OPS_PORT: '0',
    PETSTORE_LOG_LEVEL: 'error',
  };
}

function defaultCommand(): readonly string[] {
  const executable = process.env['PETSTORE_EXECUTABLE'];
  if (executable) return [executable];
  const requireHere = createRequire(join(process.cwd(), 'package.json'));
  try {
    const bin = join(requireHere.resolve('petstore/package.json'), '..', 'bin', 'petstore.js');
    return [process.execPath, bin];
  } catch (cause) {
    throw new Error(
      'There is no petstore to start. Install the package petstore, or set PETSTORE_EXECUTABLE.',
      { cause },
    );
  }
}

async function readyOf(child: ChildProcess, path: string, timeoutMs: number): Promise<Ready> {
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  const deadline = performance.now() + timeoutMs;
  while (!existsSync(path)) {
    if (failure) throw failure;
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`The petstore did not start: ${errors.trim()}`);
    }
    if (performance.now() > deadline) {
      await stop(child, SHORT_STOP_TIME);
      throw new Error(`The petstore was not ready after ${timeoutMs} ms. ${errors.trim()}`);
    }
    await after(LOOK_EVERY);
  }
  return JSON.parse(await readFile(path, 'utf8'));
}

/** Stops the service; kills it if that takes longer. */
async function stop(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.stdin?.end();
  const killing = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await ended;
  clearTimeout(killing);
}
