import { connect } from 'node:net';

export interface RawReply {
  readonly status: number;
  /** By lower-case name; repeated ones joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Waits for this many complete replies. */
interface AwaitedReplies {
  readonly replies: number;
}

type Piece = string | Uint8Array | number | AwaitedReplies;

function isAwaited(piece: Piece): piece is AwaitedReplies {
  return typeof piece === 'object' && 'replies' in piece;
}

/** The replies over one connection until the server closed it. */
export interface RawExchange {
  readonly replies: readonly RawReply[];
  readonly text: string;
}

/**
 * Sends bytes unchanged over a plain socket, piece by piece, and waits until the server closes the
 * connection; valid requests ask for that with `Connection: close`.
 * @param pieces bytes, latin-1 text, a pause in ms, or the number of replies to wait for.
 */
export function rawExchange(port: number, pieces: readonly Piece[]): Promise<RawExchange> {
  const { promise, resolve, reject } = Promise.withResolvers<RawExchange>();
  const chunks: Buffer[] = [];
  const received = () => Buffer.concat(chunks).toString('latin1');
  const socket = connect(port, '127.0.0.1');
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('close', () => resolve({ replies: parseReplies(received()), text: received() }));
  // A server resets the connection after its reply to refuse the rest of a request.
  socket.on('error', (error) => {
    if (chunks.length === 0 && !('code' in error && error.code === 'ECONNRESET')) reject(error);
  });
  const arrived = async (replies: number) => {
    while (parseReplies(received()).length < replies && socket.readable) await Bun.sleep(1);
  };
  socket.on('connect', async () => {
    for (const piece of pieces) {
      if (typeof piece === 'number') await Bun.sleep(piece);
      else if (isAwaited(piece)) await arrived(piece.replies);
      else if (socket.writable)
        socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
    }
  });
  return promise;
}

/** The complete replies at the start of a text. */
export function parseReplies(text: string): RawReply[] {
  const replies: RawReply[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    const status = /^HTTP\/1\.1 (\d{3})/.exec(rest)?.[1];
    if (end === -1 || status === undefined) return replies;
    const headers: Record<string, string> = {};
    for (const line of rest.slice(0, end).split('\r\n').slice(1)) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
    }
    const length = Number(headers['content-length'] ?? 0);
    const start = end + 4;
    // A body is UTF-8; it was read as latin-1 to count bytes.
    const body = Buffer.from(rest.slice(start, start + length), 'latin1').toString('utf8');
    if (status !== '100') replies.push({ status: Number(status), headers, body });
    rest = rest.slice(start + (status === '100' ? 0 : length));
  }
}
