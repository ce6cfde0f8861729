import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SECOND } from '../../src/lib/clock.ts';
import { bucketOf } from '../../src/storage/pets/buckets.ts';
import { startBackendsOn } from '../cluster/backends.ts';
import type { PrivateServer } from '../cluster/private-servers.ts';
import { startPetstore } from '../cluster/stage.ts';
import { percentile } from '../statistics.ts';
import { keysOf } from '../stores.ts';
import { table } from '../table.ts';
import { Clients, type Sample } from './clients.ts';
import { CitusServers } from './nodes.ts';

const PROCESSES = 3;
const SIZE = { pets: 600_000, accounts: 50 } as const;

/** How long the clients run before a change, and after it, in ms. */
const BEFORE = 15 * SECOND;
const AFTER = 15 * SECOND;

interface Place {
  readonly folder: string;
  progress(text: string): void;
}

/** The effects on clients while a worker is killed and restarted, as Markdown. */
export function loseWorker(place: Place): Promise<string> {
  return interruptWorker(place, 'killed', async (worker) => {
    await worker.crash();
    return () => worker.restart();
  });
}

/** The effects on clients while all processes of a worker are stopped, as Markdown. */
export function suspendWorker(place: Place): Promise<string> {
  return interruptWorker(place, 'stopped', async (worker) => worker.suspend());
}

/** @param interrupt interrupts a worker without the newest pets; returns a function that brings it back. */
async function interruptWorker(
  place: Place,
  what: string,
  interrupt: (worker: PrivateServer) => Promise<() => Promise<void> | void>,
): Promise<string> {
  await using scene = await underLoad(place);
  const { servers, clients, progress } = scene;
  const newest = await servers.workerOf(bucketOf(SIZE.pets));
  const worker = servers.workers.find((each) => each !== newest);
  if (!worker) throw new Error('There is no worker to lose.');
  const lost = new Set<number | undefined>();
  for (let bucket = 0; bucket <= bucketOf(SIZE.pets); bucket += 1) {
    if ((await servers.workerOf(bucket)) === worker) lost.add(bucket);
  }
  const before = await clients.during(BEFORE);
  progress(`a worker is ${what}`);
  const bringBack = await interrupt(worker);
  const without = await clients.during(AFTER);
  progress('it is back');
  await bringBack();
  await Bun.sleep(2 * SECOND);
  const back = await clients.during(AFTER);
  const needs = ({ bucket }: Sample) => lost.has(bucket);
  const kinds = [
    ['pages of that worker', needs],
    ['other pages', (each: Sample) => each.kind === 'page' && !needs(each)],
    ['lists from memory', ({ kind }: Sample) => kind === 'list'],
    ['creations', ({ kind }: Sample) => kind === 'create'],
  ] as const;
  const periods = [
    ['before', before],
    [`while it is ${what}`, without],
    ['2 s after its return', back],
  ] as const;
  const rows = periods.flatMap(([when, samples]) =>
    kinds.map(([title, isMeant]) => rowOf(`${when}: ${title}`, samples.filter(isMeant))),
  );
  return report(rows, await clients.stop());
}

/** The effects on clients while a worker is added and shards are moved to it, as Markdown. */
export async function addWorker(place: Place): Promise<string> {
  await using scene = await underLoad(place);
  const { servers, clients, progress } = scene;
  const before = await clients.during(BEFORE);
  const begun = performance.now();
  progress('a worker is added');
  await servers.addWorker();
  await servers.run('SELECT citus_rebalance_start()');
  while (await isRebalancing(servers)) await Bun.sleep(SECOND);
  const took = ((performance.now() - begun) / SECOND).toFixed(0);
  const moving = clients.take();
  const after = await clients.during(AFTER);
  const shards = await servers.run<{ shards: number }>(
    `SELECT count(*)::int AS shards FROM citus_shards WHERE citus_table_type = 'distributed'
     GROUP BY nodeport ORDER BY 1`,
  );
  const rows = [
    ['before', before],
    [`while shards move, ${took} s`, moving],
    ['after', after],
  ] as const;
  const text = report(
    rows.flatMap(([when, samples]) => [
      rowOf(
        `${when}: pages`,
        samples.filter(({ kind }) => kind === 'page'),
      ),
      rowOf(
        `${when}: creations`,
        samples.filter(({ kind }) => kind === 'create'),
      ),
    ]),
    await clients.stop(),
  );
  return `${text}\n\nShards of each worker afterwards: ${shards.map((row) => row.shards).join(', ')}.`;
}

/** Three processes on Citus, with clients. */
async function underLoad({ folder, progress }: Place) {
  const stack = new AsyncDisposableStack();
  const home = join(folder, 'changes');
  mkdirSync(home, { recursive: true });
  progress(`preparing ${SIZE.pets} pets`);
  const servers = await CitusServers.start();
  const backends = stack.use(await startBackendsOn(servers, home, SIZE));
  const stage = stack.use(await startPetstore(backends, PROCESSES));
  const ports = stage.servers.map(({ port }) => port);
  const clients = new Clients(ports, keysOf(backends.store), SIZE.pets);
  await Bun.sleep(5 * SECOND);
  return { servers, clients, progress, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function isRebalancing(servers: CitusServers): Promise<boolean> {
  const [job] = await servers.run<{ state: string }>(
    'SELECT state::text FROM citus_rebalance_status()',
  );
  if (job?.state === 'failed') throw new Error('The rebalance failed.');
  return job !== undefined && job.state !== 'finished';
}

function report(
  rows: readonly string[][],
  { found, lost }: { found: number; lost: number },
): string {
  const header = ['', 'requests', 'statuses', 'p50 ms', 'p99 ms', 'longest ms'];
  return `${table(header, rows)}\n\nAcknowledged animals: ${found + lost}, of which lost: ${lost}.`;
}

function rowOf(name: string, samples: readonly Sample[]): string[] {
  const statuses = Object.entries(Object.groupBy(samples, ({ status }) => status)).map(
    ([status, all = []]) => `${status}: ${all.length}`,
  );
  const times = samples.map(({ took }) => took);
  const at = (share: number) => (times.length === 0 ? '' : percentile(times, share).toFixed(1));
  return [name, String(samples.length), statuses.join(', '), at(0.5), at(0.99), at(1)];
}
