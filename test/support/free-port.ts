import { connect } from 'node:net';

/** A port on which no program listens. With a distance, the port that much higher is free, too. */
export async function freePort(distance = 0): Promise<number> {
  for (;;) {
    // Both ports are below the range of outgoing connections.
    const port = 12_000 + Math.floor(Math.random() * 10_000);
    const taken = await Promise.all([accepts(port), accepts(port + distance)]);
    if (!taken.includes(true)) return port;
  }
}

export function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  socket.on('connect', () => resolve(true));
  socket.on('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
