import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { messageOf, OperatorError, SetupError } from '../core/errors.ts';
import type { ControlAddress } from './control-server.ts';
import type { FixtureKey } from './load-fixture.ts';

/** What a ready file says of a service that answers requests. */
export interface ReadyFile {
  readonly pid: number;
  /** Absolute path of the data folder: a command with it as PETSTORE_DATA_DIR works on this service's data. */
  readonly dataDir: string;
  readonly ports: { readonly http: number; readonly ops: number };
  /** Base addresses by part, without a slash at the end. */
  readonly addresses: Readonly<Record<string, string>> & {
    /** Where /livez, /readyz and /metrics are. */
    readonly ops: string;
  };
  /** The keys of a service to throw away; empty otherwise. */
  readonly keys: readonly FixtureKey[];
  /** Where programs control a service to throw away. */
  readonly control?: ControlAddress | undefined;
}

/**
 * Writes a ready file, for this user only: whoever sees it sees it whole.
 * @throws SetupError when it cannot be written.
 */
export function writeReadyFile(path: string, ready: ReadyFile): void {
  const draft = `${path}.${crypto.randomUUID()}`;
  try {
    writeFileSync(draft, `${JSON.stringify(ready, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(draft, path);
  } catch (cause) {
    throw new SetupError(`Cannot write the ready file ${path}: ${messageOf(cause)}.`, { cause });
  }
}

/**
 * Removes the ready file of an earlier service.
 * @throws SetupError when something else is at the path.
 */
export function removeReadyFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (cause) {
    throw new SetupError(`Cannot write the ready file ${path}: ${messageOf(cause)}.`, { cause });
  }
}

/** @throws OperatorError when there is none yet, or the file is another. */
export async function readReadyFile(path: string): Promise<ReadyFile> {
  try {
    const ready: ReadyFile = await Bun.file(path).json();
    if (!URL.canParse(ready?.addresses?.ops)) throw new Error('it is not one of a petstore');
    return ready;
  } catch (cause) {
    throw new OperatorError(`Cannot read the ready file ${path}: ${messageOf(cause)}.`, { cause });
  }
}
