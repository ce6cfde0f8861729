import { CONTESTANTS } from './contestants.ts';
import { figures } from './figures.ts';
import { floorReport } from './floor/report.ts';
import { writeBlock } from './page-block.ts';
import type { GrowthRow, Pace, Results, Sample, StartCpu } from './results.ts';
import { table } from './table.ts';
import { isWorkload, READS, WORKLOADS } from './workloads.ts';

/** All results, as Markdown. */
export function report(results: Results): string {
  const { date, revision, machine, peers, scale } = results;
  return [
    `Measured on ${date}, revision ${revision}: ${scale}.`,
    `Machine: ${machine}.`,
    `Peers: ${peers}.`,
    '`*`: the load generator used its whole core, so the contestant may be faster.',
    ...figureTable(results),
    ...(results.floor ? floorReport(results.floor) : []),
    ...workloadTables(results),
    ...mixTable(results),
    ...growthTable(results),
    ...startUpTable(results),
    ...throwawayTable(results),
    ...memoryTable(results),
  ].join('\n\n');
}

/** Writes the report into the documentation. */
export function writeDocumentation(results: Results): void {
  writeBlock('performance.md', 'results', report(results));
}

function figureTable(results: Results): string[] {
  const rows = figures(results).map(({ name, asked, measured, reached }) => [
    ...[name, asked, measured, reached ? 'yes' : '**no**'],
  ]);
  if (rows.length === 0) return [];
  return ['### Goals', table(['figure', 'goal', 'measured', 'reached?'], rows)];
}

function workloadTables({ workloads }: Results): string[] {
  const names = Object.keys(WORKLOADS).filter(isWorkload);
  return names.flatMap((name) => {
    const samples = workloads[name];
    const ours = samples?.['petstore'];
    if (!samples || !ours) return [];
    const rows = WORKLOADS[name].contestants.flatMap((contestant) => {
      const sample = samples[contestant];
      return sample ? [[CONTESTANTS[contestant].title, ...sampleCells(sample, ours)]] : [];
    });
    return [`### ${WORKLOADS[name].title}`, table(SAMPLE_HEADER, rows)];
  });
}

const SAMPLE_HEADER = [
  ...['contestant', 'requests/s', 'ours ÷ it', 'p50 ms', 'p99 ms', 'CPU s per 100,000'],
  ...['resident MB', 'bytes per reply'],
];

function sampleCells(sample: Sample, ours: Sample): string[] {
  const bound = sample.saturated ? ' *' : '';
  return [
    whole(sample.perSecond) + bound,
    (ours.perSecond / sample.perSecond).toFixed(2),
    sample.p50.toFixed(2),
    sample.p99.toFixed(2),
    sample.cpu.toFixed(2),
    megabytes(sample.memory),
    whole(sample.bytes),
  ];
}

function mixTable({ mix }: Results): string[] {
  if (!mix) return [];
  const row = (name: string, { perSecond, p50, p99 }: Pace) => [
    ...[name, whole(perSecond), p50.toFixed(2), p99.toFixed(2)],
  ];
  return [
    '### Mix of list 20 and create',
    `Creates are ${(mix.share * 100).toFixed(1)} % of the requests; ${megabytes(mix.memory)} MB resident.`,
    table(
      ['load', 'requests/s', 'p50 ms', 'p99 ms'],
      [
        row('lists alone', mix.alone),
        row('lists beside creates', mix.beside),
        row('creates beside lists', mix.creates),
      ],
    ),
  ];
}

function growthTable({ growth }: Results): string[] {
  if (!growth) return [];
  const header = ['pets', 'accounts', 'file MB', 'start-up ms', 'resident MB', ...READS];
  const rows = growth.map((row) => [
    ...[whole(row.pets), whole(row.accounts), megabytes(row.fileSize), whole(row.startUp)],
    megabytes(row.memory),
    ...READS.map((read) => readCell(row, read)),
  ]);
  return ['### Growth', 'Requests/s, and p99 in ms.', table(header, rows)];
}

function readCell({ reads }: GrowthRow, read: string): string {
  const sample = reads[read];
  return sample ? `${whole(sample.perSecond)} (${sample.p99.toFixed(2)})` : '';
}

function startUpTable({ startUp }: Results): string[] {
  if (!startUp) return [];
  const { petstore, executable, cpu } = startUp;
  const times = (took: number | undefined, used: StartCpu | undefined) =>
    [took, used?.firstReply, used?.ready].map((each) => (each === undefined ? '–' : whole(each)));
  const rows = [
    ['petstore, from source', ...times(petstore, cpu?.petstore)],
    ['petstore, executable', ...times(executable, cpu?.executable)],
  ];
  const header = [
    'program',
    'ms from spawn to the first 200',
    'CPU ms to the first 200',
    'CPU ms until ready',
  ];
  return ['### Start-up', table(header, rows)];
}

function throwawayTable({ throwaway }: Results): string[] {
  if (!throwaway) return [];
  const rows = [
    ['from spawn of the executable to the first 200', whole(throwaway.firstReply)],
    ['100 resets, without the requests between them', whole(throwaway.resets)],
  ];
  return ['### Throwaway services', table(['what', 'ms'], rows)];
}

function memoryTable({ memory }: Results): string[] {
  if (!memory) return [];
  const rows = [
    ['idle', megabytes(memory.idle)],
    ...memory.after.map((each) => [
      `after ${whole(each.requests)} mixed requests`,
      megabytes(each.memory),
    ]),
    ...(memory.active
      ? [[`${whole(memory.active.accounts)} accounts active`, megabytes(memory.active.memory)]]
      : []),
  ];
  return ['### Memory', table(['when', 'resident MB'], rows)];
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function megabytes(bytes: number): string {
  return whole(bytes / 1e6);
}
