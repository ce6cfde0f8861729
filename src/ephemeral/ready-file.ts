import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { messageOf, OperatorError, SetupError } from '../core/errors.ts';
import type { ControlAddress } from './control-server.ts';
import type { FixtureKey } from './load-fixture.ts';

/** The contents of a ready file, which describes a service that answers requests. */
export interface ReadyFile {
  readonly pid: number;
  /** Absolute path of the data folder: commands that use it as PETSTORE_DATA_DIR work on this service's data. */
  readonly dataDir: string;
  readonly ports: { readonly http: number; readonly ops: number };
  /** Base addresses by part, without a trailing slash. */
  readonly addresses: Readonly<Record<string, string>> & {
    /** Base address of /livez, /readyz and /metrics. */
    readonly ops: string;
  };
  /** The keys of an ephemeral service; empty otherwise. */
  readonly keys: readonly FixtureKey[];
  /** The address at which programs control an ephemeral service. */
  readonly control?: ControlAddress | undefined;
}

/**
 * Writes a ready file, for this user only. The file appears atomically.
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
