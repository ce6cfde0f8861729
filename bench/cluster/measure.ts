import { availableParallelism } from 'node:os';
import { expectRightReplies } from '../expect-replies.ts';
import { type LoadResult, runLoad } from '../load.ts';
import type { ClusterScale } from '../options.ts';
import { type MachineTime, machineTime, type Usage } from '../process-tree.ts';
import type { ServerProcess } from '../server-process.ts';
import { median } from '../statistics.ts';
import { keysOf } from '../stores.ts';
import { startBackends } from './backends.ts';
import type { ClusterResults, ClusterRun } from './results.ts';
import type { Backends } from './servers.ts';
import { measureSizes } from './sizes.ts';
import { startFastify, startPetstore, startProxy } from './stage.ts';

/**
 * Connections to each process, regardless of the number of processes: with fewer connections an event loop
 * finds fewer requests at a time, and each costs more.
 */
const CONNECTIONS = 64;

const WORKLOADS = {
  'list-20': 200,
  'list-20-status': 200,
  create: 201,
  'create-keyed': 201,
  get: 200,
} as const;
export type WorkloadName = keyof typeof WORKLOADS;

/** The groups that are measured in every round, in this order. */
const LINE_UP = [
  { name: 'fastify', processes: 1, workloads: ['list-20', 'create'] },
  { name: 'petstore', processes: 1, workloads: ['list-20', 'create', 'get'] },
  { name: 'petstore', processes: 2, workloads: ['list-20', 'create'] },
  { name: 'petstore', processes: 3, workloads: ['list-20', 'create'] },
  { name: 'proxied', processes: 1, workloads: ['list-20', 'create', 'get'] },
] as const satisfies readonly {
  name: string;
  processes: number;
  workloads: readonly WorkloadName[];
}[];

type GroupName = (typeof LINE_UP)[number]['name'];

type Measured = Omit<ClusterResults, 'date' | 'revision' | 'machine' | 'versions' | 'scale'>;

/** Starts and warms up every process once, then measures each group once per round. */
export async function measureCluster(
  { folder, progress }: { folder: string; progress(text: string): void },
  scale: ClusterScale,
): Promise<Measured> {
  progress(`preparing ${scale.pets} pets and ${scale.accounts} accounts in PostgreSQL`);
  await using backends = await startBackends(folder, scale);
  await using fastify = await startFastify(backends);
  await using petstore = await startPetstore(backends, 3);
  const [first] = petstore.servers;
  if (!first) throw new Error('No process of the petstore was started.');
  await using proxy = await startProxy(backends, first);
  const groups: Readonly<Record<GroupName, Group>> = {
    fastify: { servers: fastify.servers },
    petstore: { servers: petstore.servers },
    proxied: { servers: [first], proxy },
  };
  await warmUpAll(backends, groups, { progress, scale });
  const taken = LINE_UP.map(() => new Map<WorkloadName, ClusterRun[]>());
  for (let round = 1; round <= scale.rounds; round += 1) {
    for (const [index, { name, processes, workloads }] of LINE_UP.entries()) {
      progress(`round ${round} of ${scale.rounds}: ${name}, processes: ${processes}`);
      const group = groups[name];
      const part = { ...group, servers: group.servers.slice(0, processes) };
      for (const workload of workloads) {
        const run = await measureOnce(backends, part, workload, scale);
        const runs = taken[index]?.get(workload) ?? [];
        taken[index]?.set(workload, [...runs, run]);
      }
    }
  }
  const measured = LINE_UP.map(({ name, processes }, index) => {
    const runs = [...(taken[index] ?? [])].map(([workload, all]) => [workload, medianRun(all)]);
    return { name, processes, runs: Object.fromEntries(runs) };
  });
  const sizes = await measureSizes(backends);
  const ours = measured.filter(({ name }) => name === 'petstore');
  return {
    ...sizes,
    cores: availableParallelism(),
    connections: CONNECTIONS,
    peer: measured.find(({ name }) => name === 'fastify')?.runs ?? {},
    proxied: measured.find(({ name }) => name === 'proxied')?.runs ?? {},
    petstore: ours.map(({ processes, runs }) => ({ processes, runs })),
  };
}

async function warmUpAll(
  backends: Backends,
  groups: Readonly<Record<GroupName, Group>>,
  { progress, scale }: { progress(text: string): void; scale: ClusterScale },
): Promise<void> {
  for (const { name, workloads } of LINE_UP.filter(({ processes }) => processes === 1)) {
    const { servers, proxy: entry } = groups[name];
    for (const server of entry ? [entry] : servers) {
      progress(`warming up ${name}, port ${server.port}`);
      for (const workload of workloads) await warmUp(backends, server, workload, scale);
    }
  }
}

/** Compares complete replies, then puts a process under a checked load until its code is compiled. */
export async function warmUp(
  backends: Backends,
  server: ServerProcess,
  kind: WorkloadName,
  scale: Pick<ClusterScale, 'warmUp'>,
): Promise<void> {
  const { store } = backends;
  await expectRightReplies({
    url: `http://127.0.0.1:${server.port}/v1`,
    kind,
    pets: store.pets,
    keys: keysOf(store).slice(0, 100),
    constant: undefined,
  });
  const check = { status: WORKLOADS[kind] };
  const [checked] = await loadAll(backends, [server], { kind, seconds: scale.warmUp, check });
  if (checked && checked.wrong > 0) {
    throw new Error(`${checked.wrong} wrong replies, such as ${checked.sample}`);
  }
}

/** The results of a run, and its number of requests. */
type MeasuredRun = ClusterRun & { readonly requests: number };

/** Measures processes together, each under its own load. */
export async function measureOnce(
  backends: Backends,
  group: Group,
  kind: WorkloadName,
  { seconds }: Pick<ClusterScale, 'seconds'>,
): Promise<MeasuredRun> {
  const before = usageOfAll(backends, group);
  const begun = performance.now();
  const targets = group.proxy ? [group.proxy] : group.servers;
  const results = await loadAll(backends, targets, { kind, seconds });
  const took = (performance.now() - begun) / 1_000;
  const after = usageOfAll(backends, group);
  const refused = results.reduce((sum, each) => sum + each.refused, 0);
  if (refused > 0) throw new Error(`${refused} replies were refusals.`);
  return runOf(results, { before, after, took });
}

function loadAll(
  { store }: Backends,
  servers: readonly ServerProcess[],
  load: { kind: WorkloadName; seconds: number; check?: { status: number } },
): Promise<LoadResult[]> {
  return Promise.all(
    servers.map(({ port }) =>
      runLoad({
        ...load,
        port,
        base: '/v1',
        pets: store.pets,
        keys: store.keyFile,
        connections: CONNECTIONS,
        onEveryCore: true,
      }),
    ),
  );
}

/** Processes under load, and the proxy that requests pass through, if any. */
export interface Group {
  readonly servers: readonly ServerProcess[];
  readonly proxy?: ServerProcess;
}

interface UsageOfAll {
  readonly service: Usage;
  readonly proxy: Usage | undefined;
  readonly redis: Usage;
  readonly postgres: Usage;
  readonly machine: MachineTime;
}

function usageOfAll({ redis, postgres }: Backends, { servers, proxy }: Group): UsageOfAll {
  const each = servers.map((server) => server.usage());
  return {
    service: {
      cpu: each.reduce((sum, { cpu }) => sum + cpu, 0),
      memory: each.reduce((sum, { memory }) => sum + memory, 0),
    },
    proxy: proxy?.usage(),
    redis: redis.usage(),
    postgres: postgres.usage(),
    machine: machineTime(),
  };
}

function runOf(
  results: readonly LoadResult[],
  { before, after, took }: { before: UsageOfAll; after: UsageOfAll; took: number },
): MeasuredRun {
  const requests = results.reduce((sum, each) => sum + each.requests, 0);
  const load = results.reduce((sum, { cpu }) => sum + cpu, 0);
  // All processes have the same number of connections, so each is weighted by its replies.
  const weighted = (pick: (result: LoadResult) => number) =>
    results.reduce((sum, each) => sum + (pick(each) * each.requests) / requests, 0);
  const spent = (part: 'service' | 'redis' | 'postgres') => after[part].cpu - before[part].cpu;
  const proxy = after.proxy && before.proxy && after.proxy.cpu - before.proxy.cpu;
  const known = spent('service') + spent('redis') + spent('postgres') + (proxy ?? 0) + load;
  const busy = after.machine.busy - before.machine.busy;
  const each = (seconds: number) => (seconds / requests) * 100_000;
  return {
    requests,
    perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p50: weighted(({ p50 }) => p50),
    p99: weighted(({ p99 }) => p99),
    bytes: weighted(({ bytes }) => bytes),
    demand: {
      service: each(spent('service')),
      redis: each(spent('redis')),
      postgres: each(spent('postgres')),
      ...(proxy !== undefined && { proxy: each(proxy) }),
      load: each(load),
    },
    memory: {
      service: after.service.memory,
      redis: after.redis.memory,
      postgres: after.postgres.memory,
    },
    elsewhere: Math.max(0, busy - known) / took,
  };
}

/** The median of each number over the rounds. */
function medianRun(runs: readonly ClusterRun[]): ClusterRun {
  const of = (pick: (run: ClusterRun) => number) => median(runs.map(pick));
  const proxies = runs.flatMap(({ demand }) => demand.proxy ?? []);
  return {
    perSecond: of(({ perSecond }) => perSecond),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    bytes: of(({ bytes }) => bytes),
    demand: {
      service: of(({ demand }) => demand.service),
      redis: of(({ demand }) => demand.redis),
      postgres: of(({ demand }) => demand.postgres),
      ...(proxies.length > 0 && { proxy: median(proxies) }),
      load: of(({ demand }) => demand.load),
    },
    memory: {
      service: of(({ memory }) => memory.service),
      redis: of(({ memory }) => memory.redis),
      postgres: of(({ memory }) => memory.postgres),
    },
    elsewhere: of(({ elsewhere }) => elsewhere),
  };
}
