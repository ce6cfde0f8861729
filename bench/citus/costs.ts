import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SECOND } from '../../src/lib/clock.ts';
import { startBackendsOn } from '../cluster/backends.ts';
import { measureOnce, type WorkloadName, warmUp } from '../cluster/measure.ts';
import { startPostgres } from '../cluster/private-servers.ts';
import type { Backends } from '../cluster/servers.ts';
import { type ClusterStage, startPetstore } from '../cluster/stage.ts';
import type { ClusterScale } from '../options.ts';
import { median } from '../statistics.ts';
import { table } from '../table.ts';
import { CitusServers } from './nodes.ts';

const PROCESSES = 3;

const TITLES = {
  'list-20': 'list 20',
  'list-20-status': 'list 20 of a status',
  create: 'create',
  'create-keyed': 'create with an `Idempotency-Key`',
} as const satisfies Partial<Record<WorkloadName, string>>;

const WORKLOADS = ['list-20', 'list-20-status', 'create', 'create-keyed'] as const;

/** How long the data of a load takes to be saved, in ms: usage every 5 s, the request log every second. */
const TAIL = 7 * SECOND;

/** How long the idle processes are measured, in ms. */
const IDLE = 15 * SECOND;

interface Place {
  readonly folder: string;
  progress(text: string): void;
}

interface Contestant {
  readonly backends: Backends;
  readonly stage: ClusterStage;
}

/** CPU time in s. */
interface Cpu {
  readonly all: number;
  readonly postgres: number;
}

/** CPU time for 100,000 requests. */
interface Cost {
  /** Includes what is saved after the load; excludes the CPU time of idle processes. */
  readonly ofRequests: Cpu;
  /** Everything that ran during the load. */
  readonly duringLoad: Cpu;
}

/** The cost of requests on Citus compared with one PostgreSQL server, as Markdown. */
export async function measureCosts(place: Place, scale: ClusterScale): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const contestants: readonly Contestant[] = [
    await start(stack, place, scale, 'one PostgreSQL'),
    await start(stack, place, scale, 'Citus'),
  ];
  place.progress('watching the processes without requests');
  await Bun.sleep(TAIL);
  const idle = await idleOf(contestants);
  const costs: { readonly title: string; readonly rounds: Cost[][] }[] = [];
  for (const workload of WORKLOADS) {
    const rounds: Cost[][] = [];
    for (let round = 1; round <= scale.rounds; round += 1) {
      place.progress(`${workload}: round ${round} of ${scale.rounds}`);
      const each = [];
      for (const [index, contestant] of contestants.entries()) {
        each.push(await costOf(contestant, workload, scale, idle[index] ?? NOTHING));
      }
      rounds.push(each);
    }
    costs.push({ title: TITLES[workload], rounds });
  }
  const header = ['one PostgreSQL', 'Citus'];
  const costTable = (name: string, pick: (cost: Cost) => Cpu) =>
    table(
      [name, ...header, 'ratio'],
      costs.map(({ title, rounds }) =>
        rowOf(
          title,
          rounds.map((each) => each.map(pick)),
        ),
      ),
    );
  return [
    costTable('CPU s for 100,000 requests', ({ ofRequests }) => ofRequests),
    table(
      ['CPU s in a second without requests', ...header],
      [['', ...idle.map(({ all, postgres }) => `${all.toFixed(3)}, ${postgres.toFixed(3)}`)]],
    ),
    costTable('all CPU s during the load', ({ duringLoad }) => duringLoad),
  ].join('\n\n');
}

const NOTHING: Cpu = { all: 0, postgres: 0 };

/** Starts processes on their own servers, filled and warmed up. */
async function start(
  stack: AsyncDisposableStack,
  { folder, progress }: Place,
  scale: ClusterScale,
  name: 'one PostgreSQL' | 'Citus',
): Promise<Contestant> {
  progress(`${name}: ${scale.pets} pets and ${scale.accounts} accounts`);
  const home = join(folder, name.replaceAll(/\W+/g, '-'));
  mkdirSync(home, { recursive: true });
  const servers =
    name === 'Citus' ? await CitusServers.start() : await startPostgres(['max_connections=300']);
  const backends = stack.use(await startBackendsOn(servers, home, scale));
  const stage = stack.use(await startPetstore(backends, PROCESSES));
  for (const server of stage.servers) {
    progress(`${name}: warming up port ${server.port}`);
    for (const workload of WORKLOADS) await warmUp(backends, server, workload, scale);
  }
  return { backends, stage };
}

/** CPU time per second without requests. */
async function idleOf(contestants: readonly Contestant[]): Promise<Cpu[]> {
  const before = contestants.map(cpuOf);
  const begun = performance.now();
  await Bun.sleep(IDLE);
  const took = (performance.now() - begun) / SECOND;
  return contestants.map((each, index) =>
    timesOf(1 / took, difference(cpuOf(each), before[index] ?? NOTHING)),
  );
}

async function costOf(
  contestant: Contestant,
  workload: (typeof WORKLOADS)[number],
  scale: ClusterScale,
  idle: Cpu,
): Promise<Cost> {
  const before = cpuOf(contestant);
  const begun = performance.now();
  const { backends, stage } = contestant;
  const { requests, demand } = await measureOnce(backends, stage, workload, scale);
  await Bun.sleep(TAIL);
  const took = (performance.now() - begun) / SECOND;
  const spent = difference(cpuOf(contestant), before);
  const ofRequests = timesOf(100_000 / requests, difference(spent, timesOf(took, idle)));
  const { service, redis, postgres } = demand;
  return { ofRequests, duringLoad: { all: service + redis + postgres, postgres } };
}

/** CPU time that all parts have used so far. */
function cpuOf({ backends, stage }: Contestant): Cpu {
  const postgres = backends.postgres.usage().cpu;
  const others = [backends.redis, ...stage.servers].map((each) => each.usage().cpu);
  return { postgres, all: others.reduce((sum, cpu) => sum + cpu, postgres) };
}

function difference(one: Cpu, other: Cpu): Cpu {
  return { all: one.all - other.all, postgres: one.postgres - other.postgres };
}

function timesOf(factor: number, { all, postgres }: Cpu): Cpu {
  return { all: all * factor, postgres: postgres * factor };
}

/** @param rounds the CPU time of each contestant; first that of one PostgreSQL server. */
function rowOf(title: string, rounds: readonly (readonly Cpu[])[]): string[] {
  const of = (index: number, pick: (cpu: Cpu) => number) =>
    median(rounds.flatMap((each) => each.slice(index, index + 1).map(pick)));
  const cost = (index: number) =>
    `${of(index, ({ all }) => all).toFixed(1)}, ${of(index, ({ postgres }) => postgres).toFixed(1)}`;
  const ratios = rounds.flatMap(([plain, citus]) =>
    plain && citus ? [citus.all / plain.all] : [],
  );
  const range = [Math.min(...ratios), Math.max(...ratios)].map((each) => each.toFixed(2));
  const ratio = `**${median(ratios).toFixed(2)}** (${range.join(' to ')})`;
  return [title, cost(0), cost(1), ratio];
}
