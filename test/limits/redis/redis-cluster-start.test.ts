import { describe, expect, test } from 'bun:test';
import { connect, createServer, type Socket } from 'node:net';
import { atMost } from '../../support/at-most.ts';
import { eventually } from '../../support/harness.ts';
import { BUS, connectTo, hasRedis, NEVER_SILENT, RedisServer } from '../../support/redis-server.ts';
import { askAtOnce, caller, newCounter } from './redis-counter.ts';

const OPTIONS = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'];

describe.skipIf(!hasRedis)('a Cluster whose node is ready after it has told its slots', () => {
  test('is connected to once, and counts from the first request', async () => {
    await using late = await lateNode();
    using counter = await newCounter(late.url, { silenceTimeout: NEVER_SILENT });
    const asking = caller('first', atMost(3));
    expect((await askAtOnce([counter], asking, 9)).admitted).toBe(3);
    expect(late.connections()).toBe(1);
    expect(counter.lost).toEqual([]);
  });
});

describe.skipIf(!hasRedis)('a Cluster that is not set up yet', () => {
  test('is not ready, and is as soon as it serves its slots', async () => {
    await using node = await RedisServer.start(OPTIONS, BUS);
    using client = node.client();
    using link = await connectTo(`redis+cluster://127.0.0.1:${node.port}`, { silenceTimeout: 200 });
    const isReady = (timeout = 200) => link.connection.ready(timeout);
    expect(await isReady()).toBe(false);
    await client.redis.cluster('ADDSLOTSRANGE', 0, 8_191);
    expect(await isReady()).toBe(false);
    await client.redis.cluster('ADDSLOTSRANGE', 8_192, 16_383);
    expect(await isReady(NEVER_SILENT)).toBe(true);
  });
});

/** A Cluster of one node, with the port of a link to it. */
async function lateNode() {
  await using starting = new AsyncDisposableStack();
  const link = starting.use(await LateLink.open());
  const options = [...OPTIONS, '--cluster-announce-port', String(link.port)];
  const node = starting.use(await RedisServer.start(options, BUS));
  link.target = node.port;
  using client = node.client();
  await client.redis.cluster('ADDSLOTSRANGE', 0, 16_383);
  await eventually(async () => (await client.redis.cluster('INFO')).includes('cluster_state:ok'));
  const resources = starting.move();
  return {
    url: `redis+cluster://127.0.0.1:${link.port}`,
    connections: () => link.connections,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/**
 * Forwards bytes to a node, and its replies. A connection for commands asks for INFO before it is ready; that is
 * forwarded once the client has read the slots, over a connection that it then closes.
 */
class LateLink implements AsyncDisposable {
  /** Port of the node. */
  target = 0;
  /** How many connections for commands there were. */
  connections = 0;
  readonly #server = createServer((near) => this.#forward(near));
  readonly #waiting: (() => void)[] = [];
  #areSlotsRead = false;

  static async open(): Promise<LateLink> {
    const link = new LateLink();
    const { promise, resolve } = Promise.withResolvers<void>();
    link.#server.listen(0, '127.0.0.1', resolve);
    await promise;
    return link;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('It does not listen.');
    return address.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
  }

  #forward(near: Socket): void {
    const far = connect(this.target, '127.0.0.1');
    near.on('data', (data) => {
      const send = () => void far.write(data);
      const text = String(data);
      if (/\r\nslots\r\n/i.test(text)) near.on('close', () => this.#noteSlotsRead());
      const isForCommands = /^\*1\r\n\$4\r\ninfo\r\n/i.test(text);
      if (isForCommands) this.connections += 1;
      if (isForCommands && !this.#areSlotsRead) this.#waiting.push(send);
      else send();
    });
    far.on('data', (data) => near.write(data));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
  }

  #noteSlotsRead(): void {
    this.#areSlotsRead = true;
    for (const send of this.#waiting.splice(0)) send();
  }
}
