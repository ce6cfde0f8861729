import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from './core/environments.ts';
import { SetupError } from './core/errors.ts';

/** The folder that holds everything that is kept, by file. */
export interface DataFolder {
  readonly path: string;
  readonly accounts: string;
  readonly secret: string;
  database(environment: Environment): string;
  /** Held by the process that serves the environment. */
  lock(environment: Environment): string;
}

/**
 * The folder at this path, made when it is missing; for this user's eyes only.
 * @throws SetupError when it cannot be made or written to.
 */
export function openDataFolder(path: string): DataFolder {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const probe = join(path, `.probe-${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (cause) {
    throw new SetupError(
      `Cannot write to the folder ${path}: ${reason(cause)}. Set PETSTORE_DATA_DIR to one that you may write to.`,
      { cause },
    );
  }
  return {
    path,
    accounts: join(path, 'accounts.db'),
    secret: join(path, 'secret'),
    database: (environment) => join(path, `${environment}.db`),
    lock: (environment) => join(path, `${environment}.lock`),
  };
}

/**
 * The secret that API keys are digested with: the configured one, or the folder's own, made on the
 * first start.
 */
export function readSecret(folder: DataFolder, configured: string | undefined): Buffer {
  if (configured !== undefined) return Buffer.from(configured);
  const draft = `${folder.secret}.${process.pid}`;
  try {
    writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
    // A link is all or nothing, also when two processes start at the same moment.
    linkSync(draft, folder.secret);
  } catch (cause) {
    if (!isCode(cause, 'EEXIST')) throw cause;
  } finally {
    rmSync(draft, { force: true });
  }
  return Buffer.from(readFileSync(folder.secret, 'utf8').trim());
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function isCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === code;
}
