import { connect } from 'node:net';
import { parseReplies } from '../support/raw.ts';

/** A connection that stays open after a reply. */
export async function idleConnection(port: number) {
  const socket = connect(port, '127.0.0.1');
  const idle = {
    closed: false,
    /** Sends a request; resolves to its complete reply. */
    ask(): Promise<string> {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      let received = '';
      const receive = (data: Buffer) => {
        received += data.toString('latin1');
        const [reply] = parseReplies(received);
        if (!reply) return;
        if (Buffer.byteLength(reply.body) < Number(reply.headers['content-length'])) return;
        socket.off('data', receive);
        resolve(received);
      };
      socket.once('error', reject);
      socket.on('data', receive);
      socket.write('GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n');
      return promise;
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
  socket.on('close', () => {
    idle.closed = true;
  });
  await idle.ask();
  return idle;
}
