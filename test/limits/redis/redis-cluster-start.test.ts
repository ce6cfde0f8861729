import { describe, expect, test } from 'bun:test';
import { atMost } from '../../support/at-most.ts';
import { CuttableLink } from '../../support/cuttable-link.ts';
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

/**
 * A Cluster of one node behind a link. A connection for commands asks for INFO before it is ready; that is forwarded once
 * the client has read the slots, over a connection that it then closes.
 */
async function lateNode() {
  let connections = 0;
  let areSlotsRead = false;
  const waiting: (() => void)[] = [];
  const noteSlotsRead = () => {
    areSlotsRead = true;
    for (const send of waiting.splice(0)) send();
  };
  await using starting = new AsyncDisposableStack();
  // The node announces the port of the link, which is therefore open first.
  const link = await CuttableLink.to(0, 0, (data, client, send) => {
    const text = String(data);
    if (/\r\nslots\r\n/i.test(text)) client.on('close', noteSlotsRead);
    const isForCommands = /^\*1\r\n\$4\r\ninfo\r\n/i.test(text);
    if (isForCommands) connections += 1;
    if (isForCommands && !areSlotsRead) waiting.push(send);
    else send();
  });
  starting.use(link);
  const options = [...OPTIONS, '--cluster-announce-port', String(link.port)];
  const node = starting.use(await RedisServer.start(options, BUS));
  link.pointAt(node.port);
  using client = node.client();
  await client.redis.cluster('ADDSLOTSRANGE', 0, 16_383);
  await eventually(async () => (await client.redis.cluster('INFO')).includes('cluster_state:ok'));
  const resources = starting.move();
  return {
    url: `redis+cluster://127.0.0.1:${link.port}`,
    /** How many connections for commands there were. */
    connections: () => connections,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
