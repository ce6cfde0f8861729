import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { atMost } from '../../support/at-most.ts';
import { eventually } from '../../support/harness.ts';
import {
  hasRedis,
  NEVER_SILENT,
  RedisCluster,
  type RedisServer,
} from '../../support/redis-server.ts';
import { askAtOnce, caller, newCounter } from './redis-counter.ts';

const COUNTER = join(import.meta.dir, 'redis-counter.ts');
const LIMITS = atMost(1_000);

/** In ms, long enough that a busy machine does not look like a lost master. */
const SILENCE_TIMEOUT = 5_000;
const NODE_TIMEOUT = 3_000;
/** For several elections, each of which may fail on a busy machine, in ms. */
const RECOVERY_TIME = 150_000;

let cluster: RedisCluster;

/** What one of the processes found. */
interface Counted {
  readonly admitted: number;
  /** The events of its connection. */
  readonly reported: readonly string[];
}

/** Three processes send this many requests at the same time. */
async function askFromThree(id: string, limit: number, times: readonly number[]) {
  const children = times.map((count) =>
    Bun.spawn([process.execPath, COUNTER, cluster.url, id, String(limit), String(count)], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    }),
  );
  const outputs = children.map(({ stdout }) => stdout.pipeThrough(new TextDecoderStream()));
  const readers = outputs.map((output) => output.getReader());
  await Promise.all(readers.map((reader) => reader.read()));
  for (const { stdin } of children) {
    stdin.write('go\n');
    await stdin.end();
  }
  const replies = await Promise.all(readers.map((reader) => reader.read()));
  await Promise.all(children.map(({ exited }) => exited));
  return replies.map(({ value = '' }): Counted => JSON.parse(value));
}

describe.skipIf(!hasRedis)('a Cluster of six nodes', () => {
  beforeAll(async () => {
    cluster = await RedisCluster.start();
  });

  afterAll(() => cluster[Symbol.asyncDispose]());

  test('admits exactly 1,000 of 5,000 requests that three processes send at once', async () => {
    const counted = await askFromThree('three', 1_000, [1_667, 1_667, 1_666]);
    const sum = counted.reduce((total, { admitted }) => total + admitted, 0);
    expect({ sum, counted }).toMatchObject({ sum: 1_000 });
  });

  test('admits exactly the limit of each of many callers, wherever they are counted', async () => {
    using one = await newCounter(cluster.url, { silenceTimeout: NEVER_SILENT });
    using other = await newCounter(cluster.url, { silenceTimeout: NEVER_SILENT });
    const callers = Array.from({ length: 60 }, (_, index) => caller(`many${index}`, atMost(7)));
    const asked = await Promise.all(callers.map((each) => askAtOnce([one, other], each, 20)));
    expect(asked.map(({ admitted }) => admitted)).toEqual(callers.map(() => 7));
  });
});

describe.skipIf(!hasRedis)('a Cluster that loses a master', () => {
  test.each([
    ['killed', (master: RedisServer) => master.kill()],
    ['stopped', async (master: RedisServer) => master.pause()],
  ])('%s, admits at most 2 L, and recovers by itself', async (_, lose) => {
    await using cluster = await RedisCluster.start(NODE_TIMEOUT);
    using counter = await newCounter(cluster.url, { silenceTimeout: SILENCE_TIMEOUT });
    const [hit, spared] = await countedApart(cluster);
    const master = await cluster.masterOf(keyOf(hit));
    const other = await cluster.masterOf(keyOf(spared));
    expect((await askAtOnce([counter], caller(hit, LIMITS), 1_500)).admitted).toBe(1_000);

    await eventually(() => isReplicated(master));
    await lose(master);
    const without = await askAtOnce([counter], caller(hit, LIMITS), 3_000);
    expect(without.admitted).toBeLessThanOrEqual(1_000);
    expect((await askAtOnce([counter], caller(spared, LIMITS), 1_500)).admitted).toBe(1_000);
    // The other masters serve on.
    expect(counter.lost.join()).toContain(String(master.port));
    expect(counter.lost.join()).not.toContain(String(other.port));

    await eventually(() => counter.availability() === 'available', RECOVERY_TIME);
    expect((await askAtOnce([counter], caller(hit, LIMITS), 100)).admitted).toBe(0);
  });
});

/** Whether the replica has all data of the master, which it needs before it becomes master. */
async function isReplicated(master: RedisServer): Promise<boolean> {
  using client = master.client();
  const info = await client.redis.info('replication');
  const written = /^master_repl_offset:(\d+)/m.exec(info)?.[1];
  return written !== undefined && info.includes(`state=online,offset=${written},`);
}

function keyOf(id: string): string {
  return `petstore:{production:account:${id}}`;
}

/** Two callers whose counts are on different masters. */
async function countedApart(cluster: RedisCluster): Promise<readonly [string, string]> {
  const first = await cluster.masterOf(keyOf('first'));
  for (let index = 0; ; index += 1) {
    const id = `second${index}`;
    if ((await cluster.masterOf(keyOf(id))) !== first) return ['first', id];
  }
}
