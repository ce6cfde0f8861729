import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCodeOf, SetupError } from '../../core/errors.ts';
import { linkTarget } from './failure-advice.ts';

/** Linux lists the sockets of all processes here; socket names have at most 107 bytes. */
const SOCKETS = '/proc/net/unix';

/**
 * Announces to other processes in the same network namespace that this process serves the folder at this path, until
 * the result is disposed or the process ends in any way. A file in the folder would be lost if the folder is moved or
 * deleted, and the parent folder may not be writable. Therefore this is a socket in Linux's abstract namespace, which
 * is not a file. On other systems this does nothing.
 */
export function announceService(path: string): Disposable {
  if (process.platform !== 'linux') return { [Symbol.dispose]() {} };
  const sockets = namesOf(path).map((name) =>
    // Each process needs its own name, because several may serve the same folder.
    Bun.listen({ unix: `\0${name}${crypto.randomUUID()}`, socket: { data() {} } }),
  );
  return {
    [Symbol.dispose]() {
      for (const socket of sockets) socket.stop(true);
    },
  };
}

/**
 * Must be called before a store is created or restored at this path.
 * @throws SetupError when a running service had its folder at this path, and it was moved or deleted.
 */
export function refuseServedFolder(path: string): void {
  if (!isServed(path)) return;
  throw new SetupError(
    `A running service has lost its data folder ${path}: it was moved, deleted or emptied. Put it back, or stop that service first.`,
  );
}

/**
 * Must be called before the databases of this folder are opened. Otherwise SQLite would create a new shared memory, and
 * the running service and this process would overwrite each other's changes in the write-ahead log.
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

/** Prefixes of socket names: for the folder, and for the symbolic link to it, if there is one. */
function namesOf(path: string): string[] {
  // Containers may share a network, where each has another folder at this path: their roots are different.
  const { dev, ino } = statSync('/', { bigint: true });
  const absolute = resolve(path);
  const link = join(realPathOf(dirname(absolute)), basename(absolute));
  return Array.from(new Set([link, realPathOf(absolute)]), (each) => {
    const digest = new Bun.CryptoHasher('sha256').update(`${dev}:${ino}:${each}`).digest('hex');
    return `petstore-folder-${digest.slice(0, 32)}-`;
  });
}

/** The path with symbolic links resolved, even if its target no longer exists. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const parent = dirname(path);
    // Links that lead in a circle have no target.
    if (parent === path || errorCodeOf(error) === 'ELOOP') return path;
    const target = linkTarget(path);
    return target === undefined
      ? join(realPathOf(parent), basename(path))
      : realPathOf(resolve(parent, target));
  }
}
