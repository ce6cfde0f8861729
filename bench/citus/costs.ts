import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Backends, startBackendsOn } from '../cluster/backends.ts';
import { measureOnce, type WorkloadName, warmUp } from '../cluster/measure.ts';
import { startPostgres } from '../cluster/private-servers.ts';
import type { ClusterRun } from '../cluster/results.ts';
import { startPetstore } from '../cluster/stage.ts';
import type { ClusterScale } from '../options.ts';
import { median } from '../statistics.ts';
import { table } from '../table.ts';
import { CitusServers } from './nodes.ts';

const PROCESSES = 3;

const TITLES = {
  'list-20': 'list 20',
  'list-20-status': 'list 20 of a status',
  get: 'get',
  create: 'create',
  'create-keyed': 'create with an `Idempotency-Key`',
} as const satisfies Partial<Record<WorkloadName, string>>;

const WORKLOADS = ['list-20', 'list-20-status', 'get', 'create', 'create-keyed'] as const;

interface Place {
  readonly folder: string;
  progress(text: string): void;
}

/** What requests cost on Citus beside one PostgreSQL server: Markdown. */
export async function measureCosts(place: Place, scale: ClusterScale): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const fill = async (name: string, database: Parameters<typeof startBackendsOn>[0]) => {
    place.progress(`${name}: ${scale.pets} pets and ${scale.accounts} accounts`);
    const folder = join(place.folder, name);
    mkdirSync(folder, { recursive: true });
    return stack.use(await startBackendsOn(database, folder, scale));
  };
  const plain = await fill('plain', await startPostgres(['max_connections=300']));
  const servers = await CitusServers.start();
  const citus = await fill('citus', servers);
  const toCoordinator = { PETSTORE_DATABASE_URL: servers.coordinator.url };
  const contestants: readonly Backends[] = [
    plain,
    { ...citus, settings: { ...citus.settings, ...toCoordinator } },
    citus,
  ];
  const stages = [];
  for (const backends of contestants) {
    const stage = stack.use(await startPetstore(backends, PROCESSES));
    for (const server of stage.servers) {
      place.progress(`warming up port ${server.port}`);
      for (const workload of WORKLOADS) await warmUp(backends, server, workload, scale);
    }
    stages.push({ backends, stage });
  }
  const rows = [];
  for (const workload of WORKLOADS) {
    const rounds: ClusterRun[][] = [];
    for (let round = 1; round <= scale.rounds; round += 1) {
      place.progress(`${workload}: round ${round} of ${scale.rounds}`);
      const runs = [];
      for (const { backends, stage } of stages) {
        runs.push(await measureOnce(backends, stage, workload, scale));
      }
      rounds.push(runs);
    }
    rows.push(rowOf(TITLES[workload], rounds));
  }
  const header = ['CPU s for 100,000', 'one PostgreSQL', 'Citus, coordinator named'];
  return table([...header, 'ratio', 'Citus, all servers named', 'ratio'], rows);
}

function rowOf(title: string, rounds: readonly (readonly ClusterRun[])[]): string[] {
  const all = ({ demand: { service, redis, postgres } }: ClusterRun) => service + redis + postgres;
  const of = (index: number, pick: (run: ClusterRun) => number) =>
    median(rounds.flatMap((runs) => runs.slice(index, index + 1).map(pick)));
  const cost = (index: number) =>
    `${of(index, all).toFixed(1)}, ${of(index, ({ demand }) => demand.postgres).toFixed(1)}`;
  const ratio = (index: number) => {
    const ratios = rounds.flatMap((runs) => {
      const [plain, other] = [runs[0], runs[index]];
      return plain && other ? [all(other) / all(plain)] : [];
    });
    const range = [Math.min(...ratios), Math.max(...ratios)].map((each) => each.toFixed(2));
    return `**${median(ratios).toFixed(2)}** (${range.join(' to ')})`;
  };
  return [title, cost(0), cost(1), ratio(1), cost(2), ratio(2)];
}
