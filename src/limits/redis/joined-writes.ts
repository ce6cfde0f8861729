import type { Redis } from 'ioredis';

/**
 * Makes a client write what it sends in one turn of the event loop at once, on every connection that it
 * makes. A write for each command costs a system call, and wakes the server, each time.
 */
export function joinWrites(client: Redis): void {
  client.on('connect', () => {
    const { stream } = client;
    const write = stream.write.bind(stream);
    let waiting: string[] = [];
    const send = () => {
      const text = waiting.join('');
      waiting = [];
      // What was sent on a connection that is closing fails with it.
      if (text !== '' && stream.writable) write(text);
    };
    // Corking the stream would do the same, for a tenth of the process's time.
    stream.write = (command: string | Uint8Array) => {
      if (typeof command !== 'string') {
        send();
        return write(command);
      }
      if (waiting.push(command) === 1) setImmediate(send);
      return true;
    };
  });
}
