import { table } from '../table.ts';
import type { ClusterResults, ClusterRun, Demand } from './results.ts';

const TITLES: Readonly<Record<string, string>> = {
  'list-20': 'List 20',
  create: 'Create, durable',
  get: 'Get',
};

/** The goal: the throughput of the peer times this factor. */
const ASKED = 3;

/** All results, as Markdown. */
export function clusterReport(results: ClusterResults): string {
  const { date, revision, scale, machine, versions } = results;
  return [
    `Measured on ${date}, revision ${revision}: ${scale}.`,
    `Machine: ${machine}.`,
    `Servers and peer: ${versions}.`,
    '### One process beside the Fastify stack',
    comparison(results),
    '### One, two and three processes',
    processes(results),
    '### CPU seconds per 100,000 requests',
    demands(results),
  ].join('\n\n');
}

function comparison({ peer, petstore }: ClusterResults): string {
  const ours = petstore.find((each) => each.processes === 1)?.runs ?? {};
  const rows = Object.entries(peer).flatMap(([workload, theirs]) => {
    const run = ours[workload];
    if (!run) return [];
    const ratio = run.perSecond / theirs.perSecond;
    return [
      [`${title(workload)}, petstore`, ...pace(run), servers(run), '', '', ''],
      [
        ...[`${title(workload)}, Fastify`, ...pace(theirs), servers(theirs)],
        ...[ratio.toFixed(2), `at least ${ASKED}`, ratio >= ASKED ? 'yes' : '**no**'],
      ],
    ];
  });
  const header = ['workload, contestant', 'requests/s', 'p50 ms', 'p99 ms', 'CPU s per 100,000'];
  return table([...header, 'ours ÷ it', 'goal', 'reached?'], rows);
}

/** CPU time of everything except the load. */
function servers({ demand: { service, redis, postgres } }: ClusterRun): string {
  return (service + redis + postgres).toFixed(2);
}

function processes(results: ClusterResults): string {
  const rows = runsOf(results).map(({ name, run }) => [
    ...[name, ...pace(run), megabytes(run.memory.service)],
    run.elsewhere.toFixed(2),
  ]);
  const header = ['workload, processes', 'requests/s', 'p50 ms', 'p99 ms'];
  return table([...header, 'resident MB', 'cores busy elsewhere'], rows);
}

function demands(results: ClusterResults): string {
  const theirs = Object.entries(results.peer).map(([workload, run]) => ({
    name: `${title(workload)}, Fastify`,
    run,
  }));
  const proxied = Object.entries(results.proxied ?? {}).map(([workload, run]) => ({
    name: `${title(workload)}, 1 behind nginx`,
    run,
  }));
  const cells = ({ service, redis, postgres, proxy, load }: Demand) =>
    [service, redis, postgres, proxy, load].map((seconds) => seconds?.toFixed(2) ?? '');
  const rows = [...runsOf(results), ...proxied, ...theirs].map(({ name, run }) => [
    name,
    ...cells(run.demand),
  ]);
  return table(['workload, processes', 'processes', 'Redis', 'PostgreSQL', 'nginx', 'wrk'], rows);
}

function runsOf({ petstore }: ClusterResults): { name: string; run: ClusterRun }[] {
  return Object.keys(TITLES).flatMap((workload) =>
    petstore.flatMap((each) => {
      const run = each.runs[workload];
      return run ? [{ name: `${title(workload)}, ${each.processes}`, run }] : [];
    }),
  );
}

function pace({ perSecond, p50, p99 }: ClusterRun): string[] {
  return [Math.round(perSecond).toLocaleString('en-US'), p50.toFixed(2), p99.toFixed(2)];
}

function title(workload: string): string {
  return TITLES[workload] ?? workload;
}

function megabytes(bytes: number): string {
  return Math.round(bytes / 1e6).toLocaleString('en-US');
}
