import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SetupError } from '../../core/errors.ts';

/** Linux lists the sockets of all processes here; their names may be 107 bytes long. */
const SOCKETS = '/proc/net/unix';

/**
 * Shows other processes that this one serves the folder at this path, until it is disposed of or the
 * process ends in any way. The folder itself cannot show it once it was moved or deleted, and beside it
 * there may be no place to write: on Linux this is a socket in the abstract namespace, which is no
 * file. Elsewhere it does nothing.
 */
export function announceService(path: string): Disposable {
  if (process.platform !== 'linux') return { [Symbol.dispose]() {} };
  // Of its own for every process: several may serve one folder.
  const unix = `\0${nameOf(path)}${crypto.randomUUID()}`;
  const socket = Bun.listen({ unix, socket: { data() {} } });
  return { [Symbol.dispose]: () => socket.stop(true) };
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

function isServed(path: string): boolean {
  try {
    return readFileSync(SOCKETS, 'utf8').includes(` @${nameOf(path)}`);
  } catch {
    return false;
  }
}

function nameOf(path: string): string {
  const digest = new Bun.CryptoHasher('sha256').update(realPathOf(path)).digest('hex');
  return `petstore-folder-${digest.slice(0, 32)}-`;
}

/** The folder itself may be missing. */
function realPathOf(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}
