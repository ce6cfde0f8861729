import type { Floor, FloorSample } from '../results.ts';
import { median } from '../statistics.ts';
import { table } from '../table.ts';

/** One row of the table: the CPU time per request of the other contestant, relative to that of `ours`. */
interface Ratio {
  readonly title: string;
  readonly other: string;
  readonly ours: string;
  readonly goal?: number;
}

/** The longest p99 of lists with 10,000 accounts, relative to that of the bare handler. */
const TAIL_GOAL = 1.8;

/** The goals of the first two rows are for 10,000 accounts. */
const RATIOS: readonly Ratio[] = [
  { title: 'list 20: bare ÷ ours', other: 'list-20 bare', ours: 'list-20 petstore', goal: 0.7 },
  {
    title: 'create, durable: bare ÷ ours',
    other: 'create bare',
    ours: 'create petstore',
    goal: 0.58,
  },
  { title: 'list 20 ÷ 401', other: 'list-20 petstore', ours: 'refuse-401 petstore', goal: 1 },
  {
    title: 'list 20 ÷ list 20 with gzip',
    other: 'list-20 petstore',
    ours: 'list-20-gzip petstore',
    goal: 0.77,
  },
  {
    title: 'walk ÷ walk with gzip',
    other: 'walk petstore',
    ours: 'walk-gzip petstore',
    goal: 0.77,
  },
  { title: 'list 20 ÷ 429', other: 'list-20 petstore', ours: 'refuse-429 petstore', goal: 1 },
  {
    title: 'create: one commit per request ÷ ours',
    other: 'create one-commit-each',
    ours: 'create petstore',
  },
  {
    title: 'create: Fastify with better-sqlite3 ÷ ours',
    other: 'create fastify',
    ours: 'create petstore',
  },
  { title: 'list 20: Go ÷ ours', other: 'list-20 go', ours: 'list-20 petstore' },
  { title: 'create, durable: Go ÷ ours', other: 'create go', ours: 'create petstore' },
  { title: 'list 20: Rust ÷ ours', other: 'list-20 rust', ours: 'list-20 petstore' },
  { title: 'create, durable: Rust ÷ ours', other: 'create rust', ours: 'create petstore' },
  { title: 'list 20: baseline ÷ ours', other: 'list-20 baseline', ours: 'list-20 petstore' },
  {
    title: 'create, durable: baseline ÷ ours',
    other: 'create baseline',
    ours: 'create petstore',
    goal: 1.3,
  },
];

/** The table of the floor, as Markdown. */
export function floorReport(floor: Floor): string[] {
  const { rounds, seconds, baseline } = floor;
  const header = [
    'figure (CPU per request)',
    'goal',
    'measured',
    'range',
    'reached?',
    'requests/s',
  ];
  const rows = [...RATIOS.flatMap((ratio) => ratioRow(floor, ratio)), ...tailRow(floor)];
  return [
    '### Floor',
    `${rounds.length} interleaved rounds of ${seconds} s each; medians of the ratios of each round.` +
      (baseline === undefined ? '' : ` The baseline is ${baseline}.`),
    table(header, rows),
    table(
      ['contestant', 'CPU s per 100,000', 'requests/s', 'p99 ms', 'resident MB'],
      sampleRows(floor),
    ),
  ];
}

function ratioRow({ rounds }: Floor, { title, other, ours, goal }: Ratio): string[][] {
  const pairs = rounds.flatMap((round) => {
    const [theirs, own] = [round[other], round[ours]];
    return theirs && own
      ? [{ cpu: theirs.cpu / own.cpu, pace: own.perSecond / theirs.perSecond }]
      : [];
  });
  if (pairs.length === 0) return [];
  const ratios = pairs.map(({ cpu }) => cpu);
  const measured = median(ratios);
  return [
    [
      title,
      goal === undefined ? '' : `at least ${goal}`,
      measured.toFixed(2),
      rangeOf(ratios),
      goal === undefined ? '' : measured >= goal ? 'yes' : '**no**',
      median(pairs.map(({ pace }) => pace)).toFixed(2),
    ],
  ];
}

/** How much longer the slowest hundredth of lists takes than with the bare handler. */
function tailRow({ rounds }: Floor): string[][] {
  const ratios = rounds.flatMap((round) => {
    const [bare, own] = [round['list-20 bare']?.p99, round['list-20 petstore']?.p99];
    return bare && own ? [own / bare] : [];
  });
  if (ratios.length === 0) return [];
  const measured = median(ratios);
  return [
    [
      'list 20: p99, ours ÷ bare',
      `at most ${TAIL_GOAL}`,
      measured.toFixed(2),
      rangeOf(ratios),
      measured <= TAIL_GOAL ? 'yes' : '**no**',
      '',
    ],
  ];
}

function rangeOf(ratios: readonly number[]): string {
  return `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
}

function sampleRows({ rounds }: Floor): string[][] {
  return Object.keys(rounds[0] ?? {}).map((name) => {
    const of = (pick: (sample: FloorSample) => number) =>
      median(rounds.flatMap((round) => (round[name] ? [pick(round[name])] : [])));
    const tails = rounds.flatMap((round) => round[name]?.p99 ?? []);
    return [
      name,
      of(({ cpu }) => cpu).toFixed(2),
      Math.round(of(({ perSecond }) => perSecond)).toLocaleString('en-US'),
      tails.length === 0 ? '' : median(tails).toFixed(2),
      Math.round(of(({ memory }) => memory) / 1e6).toLocaleString('en-US'),
    ];
  });
}
