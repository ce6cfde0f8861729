import { once } from 'node:events';
import { connect } from 'node:net';

/** The accepting end of a connection within this process. */
export async function acceptedConnection() {
  const accepted = Promise.withResolvers<Bun.Socket>();
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: (socket) => accepted.resolve(socket), data() {} },
  });
  const client = connect(server.port, '127.0.0.1');
  const [socket] = await Promise.all([accepted.promise, once(client, 'connect')]);
  const ends = {
    localPort: server.port,
    peerAddress: socket.remoteAddress,
    peerPort: Number(client.localPort),
  };
  return {
    ends,
    client,
    close() {
      socket.terminate();
      client.destroy();
      server.stop(true);
    },
  };
}
