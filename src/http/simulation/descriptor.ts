import { readlinkSync, writeSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { STATUS_CODES } from 'node:http';
import ipaddr from 'ipaddr.js';
import { systemClock } from '../../lib/clock.ts';
import type { ConnectionEnds } from '../listener.ts';

/** The TCP connections of IPv4 and IPv6, as listed by Linux. */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
const DESCRIPTORS = '/proc/self/fd';

/** The prefix of an IPv4 address in the list of IPv6. */
const MAPPED = '0000000000000000FFFF0000';

/** The file descriptor of a connection. */
interface SocketDescriptor {
  readonly number: number;
  /** The name of the socket in Linux, such as `socket:[4711]`. */
  readonly socket: string;
}

/**
 * The file descriptor of a connection of this process; `undefined` where the system does not provide it, or while
 * descriptors are used up.
 */
export async function descriptorOf(ends: ConnectionEnds): Promise<SocketDescriptor | undefined> {
  const inode = await inodeOf(ends);
  if (inode === undefined) return undefined;
  const socket = `socket:[${inode}]`;
  for (const name of await readdir(DESCRIPTORS).catch(() => [])) {
    const target = await readlink(`${DESCRIPTORS}/${name}`).catch(() => undefined);
    if (target === socket) return { number: Number(name), socket };
  }
  return undefined;
}

/**
 * Writes a reply directly to the connection, without the runtime, with the first part of its body.
 * @param length of the whole body, in bytes.
 * @returns whether it could be written; `false` if the connection is already closed.
 */
export function writeReply(
  { number, socket }: SocketDescriptor,
  { status, headers }: Response,
  length: number,
  part: Uint8Array,
): boolean {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Array.from(headers, ([name, value]) => `${name}: ${value}`),
    `date: ${new Date(systemClock.now().wall).toUTCString()}`,
    `content-length: ${length}`,
  ];
  try {
    // The connection may be closed by now, and its number reused for another file. The runtime closes
    // connections only on this thread, so the result of this check stays valid for the write.
    if (readlinkSync(`${DESCRIPTORS}/${number}`) !== socket) return false;
    // In a single write: bytes that do not fit into the buffer of the connection are dropped, too.
    return writeSync(number, Buffer.concat([head(lines), part])) > 0;
  } catch {
    return false;
  }
}

function head(lines: readonly string[]): Uint8Array {
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

async function inodeOf({ localPort, peerAddress, peerPort }: ConnectionEnds) {
  const address = hexOf(peerAddress);
  const peers = [address, MAPPED + address].map((host) => `${host}:${hexPort(peerPort)}`);
  for (const table of TABLES) {
    const text = await readFile(table, 'utf8').catch(() => '');
    for (const line of text.split('\n')) {
      // Number, local end, other end, state, and five more columns before the inode.
      const [, local = '', peer = '', , , , , , , inode] = line.trim().split(/\s+/);
      if (local.endsWith(`:${hexPort(localPort)}`) && peers.includes(peer)) return inode;
    }
  }
  return undefined;
}

/** An address in the notation of Linux: words of four bytes, the lowest byte first. */
function hexOf(address: string): string {
  const bytes = ipaddr.process(address).toByteArray();
  const words = Array.from({ length: bytes.length / 4 }, (_, word) =>
    bytes.slice(word * 4, word * 4 + 4).toReversed(),
  );
  return Buffer.from(words.flat()).toString('hex').toUpperCase();
}

function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}
