import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { errorCodeOf, messageOf, OperatorError, SetupError } from '../core/errors.ts';
import type { ControlAddress } from './control-server.ts';
import type { FixtureKey } from './load-fixture.ts';

/** The contents of a ready file, which describes a service that answers requests. */
interface ReadyFile {
  readonly pid: number;
  /** Absolute path of the data folder: commands that use it as PETSTORE_DATA_DIR work on this service's data. */
  readonly dataDir: string;
  readonly ports: { readonly http: number; readonly ops: number };
  /** Base addresses by part, without a trailing slash. */
  readonly addresses: Readonly<Record<string, string>> & {
    /** Base address of /livez, /readyz and /metrics. */
    readonly ops: string;
  };
  /** The keys of a throwaway service; empty otherwise. */
  readonly keys: readonly FixtureKey[];
  /** The address at which programs control a throwaway service. */
  readonly control?: ControlAddress | undefined;
}

/** The ready file of this process. Disposal removes it, unless another service has written it since. */
export interface OwnReadyFile extends Disposable {
  /**
   * Writes the file, for this user only. It appears atomically.
   * @throws SetupError when it cannot be written.
   */
  write(ready: ReadyFile): void;
}

/**
 * Removes the ready file of an earlier service, so that nobody takes it for the one of this process. Disposal
 * puts it back if this process never wrote its own and the earlier service still runs.
 * @throws SetupError when something else is at the path.
 */
export function openReadyFile(path: string): OwnReadyFile {
  const former = attempt(path, () => takeFormer(path));
  let isWritten = false;
  let isDisposed = false;
  return {
    write(ready) {
      attempt(path, () => replace(path, `${JSON.stringify(ready, undefined, 2)}\n`));
      isWritten = true;
    },
    [Symbol.dispose]() {
      if (isDisposed) return;
      isDisposed = true;
      if (isWritten) attempt(path, () => removeOwn(path));
      else if (former !== undefined) putBack(path, former);
    },
  };
}

/** Runs an operation on the ready file. @throws SetupError when it fails. */
function attempt<Result>(path: string, operation: () => Result): Result {
  try {
    return operation();
  } catch (cause) {
    throw new SetupError(`Cannot write the ready file ${path}: ${messageOf(cause)}.`, { cause });
  }
}

/** Removes the file and returns its text; `undefined` if there is none. */
function takeFormer(path: string): string | undefined {
  const text = textOf(path);
  rmSync(path, { force: true });
  return text;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function replace(path: string, text: string): void {
  const draft = `${path}.${crypto.randomUUID()}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

function removeOwn(path: string): void {
  const text = textOf(path);
  if (text !== undefined && pidOf(text) === process.pid) rmSync(path, { force: true });
}

function putBack(path: string, former: string): void {
  const pid = pidOf(former);
  if (pid === undefined || pid === process.pid || !isAlive(pid) || existsSync(path)) return;
  try {
    replace(path, former);
  } catch {
    // The error that keeps this process from starting is the one to report.
  }
}

/** The process that wrote this text; `undefined` if it is not that of a ready file. */
function pidOf(text: string): number | undefined {
  try {
    const ready: { pid?: unknown } | null = JSON.parse(text);
    const pid = ready?.pid;
    // To `kill`, numbers below 1 are groups of processes.
    return typeof pid === 'number' && Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process of another user may not be signalled.
    return errorCodeOf(error) === 'EPERM';
  }
}

/** @throws OperatorError when the file does not exist yet, or is not a ready file. */
export async function readReadyFile(path: string): Promise<ReadyFile> {
  try {
    const ready: ReadyFile = await Bun.file(path).json();
    if (!URL.canParse(ready?.addresses?.ops)) throw new Error('it is not one of a petstore');
    return ready;
  } catch (cause) {
    throw new OperatorError(`Cannot read the ready file ${path}: ${messageOf(cause)}.`, { cause });
  }
}
