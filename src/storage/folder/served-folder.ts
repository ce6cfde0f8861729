import { existsSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { SetupError } from '../../core/errors.ts';

/** Linux lists the sockets of all processes here; their names may be 107 bytes long. */
const SOCKETS = '/proc/net/unix';

/**
 * Shows other processes of the same network namespace that this one serves the folder at this path, until
 * it is disposed of or the process ends in any way. The folder itself cannot show it once it was moved or
 * deleted, and beside it there may be no place to write: on Linux this is a socket in the abstract
 * namespace, which is no file. Elsewhere it does nothing.
 */
export function announceService(path: string): Disposable {
  if (process.platform !== 'linux') return { [Symbol.dispose]() {} };
  const sockets = namesOf(path).map((name) =>
    // Of its own for every process: several may serve one folder.
    Bun.listen({ unix: `\0${name}${crypto.randomUUID()}`, socket: { data() {} } }),
  );
  return {
    [Symbol.dispose]() {
      for (const socket of sockets) socket.stop(true);
    },
  };
}

/**
 * Called before a store begins, or is restored, at this path.
 * @throws SetupError when a service runs that had its own there: it was moved or deleted.
 */
export function refuseServedFolder(path: string): void {
  if (!isServed(path)) return;
  throw new SetupError(
    `A running service has lost its data folder ${path}: it was moved, deleted or emptied. Put it back, or stop that service first.`,
  );
}

/**
 * Called before the databases of this folder are opened. SQLite would make a new shared memory, and the
 * running service and this process would overwrite each other's changes in the write-ahead log.
 * @throws SetupError when a running service has lost the shared memory of one of them.
 */
export function refuseLostSharedMemory(path: string, databases: readonly string[]): void {
  const lost = databases.find((each) => existsSync(`${each}-wal`) && !existsSync(`${each}-shm`));
  if (lost === undefined || !isServed(path)) return;
  throw new SetupError(
    `${lost}-shm was moved or deleted while a service uses it. Restart the service with SIGTERM first.`,
  );
}

function isServed(path: string): boolean {
  try {
    const sockets = readFileSync(SOCKETS, 'utf8');
    return namesOf(path).some((name) => sockets.includes(` @${name}`));
  } catch {
    return false;
  }
}

/** Beginnings of socket names: of the folder, and of the symbolic link that leads to it, if one does. */
function namesOf(path: string): string[] {
  const absolute = resolve(path);
  const link = join(realPathOf(dirname(absolute)), basename(absolute));
  return Array.from(new Set([link, realPathOf(absolute)]), (each) => {
    const digest = new Bun.CryptoHasher('sha256').update(each).digest('hex');
    return `petstore-folder-${digest.slice(0, 32)}-`;
  });
}

/** The path without symbolic links, also where it leads to nothing any more. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const target = linkTarget(path);
    return target === undefined
      ? join(realPathOf(parent), basename(path))
      : realPathOf(resolve(parent, target));
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
