import { expect, test } from 'bun:test';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { descriptorOf, writeReply } from '../../../src/http/simulation/descriptor.ts';
import { temporaryFolder } from '../../support/harness.ts';

/** The accepting end of a connection within this process. */
async function acceptedConnection() {
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

test.skipIf(process.platform !== 'linux')(
  'a reply is written to the connection, and to nothing that has its number after it',
  async () => {
    using folder = temporaryFolder();
    const connection = await acceptedConnection();
    const descriptor = await descriptorOf(connection.ends);
    if (!descriptor) throw new Error('no descriptor');
    const arrived = Promise.withResolvers<string>();
    connection.client.once('data', (bytes) => arrived.resolve(String(bytes)));
    const half = Buffer.from('half');
    expect(writeReply(descriptor, new Response(), 8, half)).toBe(true);
    expect(await arrived.promise).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[\s\S]*content-length: 8\r\n\r\nhalf$/,
    );

    connection.close();
    const opened: number[] = [];
    do opened.push(openSync(join(folder.path, `${opened.length}`), 'w'));
    while (opened.at(-1) !== descriptor.number && opened.length < 200);
    expect(opened.at(-1)).toBe(descriptor.number);
    expect(writeReply(descriptor, new Response(), 8, half)).toBe(false);
    for (const each of opened) closeSync(each);
    expect(readFileSync(join(folder.path, `${opened.length - 1}`), 'utf8')).toBe('');
  },
);
