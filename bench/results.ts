import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

const FOLDER = join(import.meta.dir, 'results');
const FILE = /^(\d.+)\.json$/;

/** One measured run, or the medians of several. Times in ms, sizes in bytes. */
export const Sample = Type.Object({
  perSecond: Type.Number(),
  p50: Type.Number(),
  p99: Type.Number(),
  /** CPU seconds of the server for 100,000 requests. */
  cpu: Type.Number(),
  /** Resident memory of the server at the end. */
  memory: Type.Number(),
  /** From spawn to the first 200. */
  startUp: Type.Number(),
  /** Bytes of an average reply with its head. */
  bytes: Type.Number(),
  /** Whether the load generator used its whole core. */
  saturated: Type.Boolean(),
});
export type Sample = Static<typeof Sample>;

const Pace = Type.Object({ perSecond: Type.Number(), p50: Type.Number(), p99: Type.Number() });
export type Pace = Static<typeof Pace>;

const Mix = Type.Object({
  alone: Pace,
  /** The same lists while pets are created. */
  beside: Pace,
  creates: Pace,
  /** Fraction of creations among all requests. */
  share: Type.Number(),
  memory: Type.Number(),
});
export type Mix = Static<typeof Mix>;

const GrowthRow = Type.Object({
  pets: Type.Integer(),
  accounts: Type.Integer(),
  fileSize: Type.Number(),
  /** After every account has sent a request. */
  memory: Type.Number(),
  startUp: Type.Number(),
  reads: Type.Record(Type.String(), Sample),
});
export type GrowthRow = Static<typeof GrowthRow>;

const StartCpu = Type.Object({ firstReply: Type.Number(), ready: Type.Number() });
export type StartCpu = Static<typeof StartCpu>;

const StartUp = Type.Object({
  /** From source, as with `npm start`. */
  petstore: Type.Number(),
  /** As one file, made with `npm run build`. */
  executable: Type.Optional(Type.Number()),
  /** CPU milliseconds from spawn to the first 200, and until the service is ready. */
  cpu: Type.Optional(Type.Object({ petstore: StartCpu, executable: StartCpu })),
});
export type StartUp = Static<typeof StartUp>;

const Throwaway = Type.Object({
  /** Milliseconds from spawn of the executable to the first 200. */
  firstReply: Type.Number(),
  /** Milliseconds that the 100 resets of a suite of 100 tests take. */
  resets: Type.Number(),
});
export type Throwaway = Static<typeof Throwaway>;

const Memory = Type.Object({
  idle: Type.Number(),
  after: Type.Array(Type.Object({ requests: Type.Number(), memory: Type.Number() })),
  /** After each of these accounts has sent a request. */
  active: Type.Optional(Type.Object({ accounts: Type.Integer(), memory: Type.Number() })),
});
export type Memory = Static<typeof Memory>;

const FloorSample = Type.Object({
  /** CPU seconds of the server for 100,000 requests. */
  cpu: Type.Number(),
  perSecond: Type.Number(),
  /** Earlier results have none. */
  p99: Type.Optional(Type.Number()),
  memory: Type.Number(),
});
export type FloorSample = Static<typeof FloorSample>;

const Floor = Type.Object({
  /** For each round, by workload and contestant. */
  rounds: Type.Array(Type.Record(Type.String(), FloorSample)),
  /** Length of each sample. */
  seconds: Type.Number(),
  /** The earlier commit that is measured in the same run. */
  baseline: Type.Optional(Type.String()),
});
export type Floor = Static<typeof Floor>;

/** All results of one day, revision, machine and scale. */
export const Results = Type.Object({
  date: Type.String(),
  /** The commit; followed by a + if there were uncommitted changes. */
  revision: Type.String(),
  machine: Type.String(),
  peers: Type.String(),
  scale: Type.String(),
  /** Medians by workload, then by contestant. */
  workloads: Type.Record(Type.String(), Type.Record(Type.String(), Sample)),
  floor: Type.Optional(Floor),
  mix: Type.Optional(Mix),
  growth: Type.Optional(Type.Array(GrowthRow)),
  startUp: Type.Optional(StartUp),
  throwaway: Type.Optional(Throwaway),
  memory: Type.Optional(Memory),
});
export type Results = Static<typeof Results>;

/** The circumstances of results; only results with equal circumstances are shown together. */
export type Circumstances = Pick<Results, 'date' | 'revision' | 'machine' | 'peers' | 'scale'>;

/** The saved results of these circumstances, if any, and the path of their file. */
export function openResults(circumstances: Circumstances): { results: Results; path: string } {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`;
    const path = join(FOLDER, `${circumstances.date}${suffix}.json`);
    if (!existsSync(path)) return { results: { ...circumstances, workloads: {} }, path };
    const results = Value.Parse(Results, JSON.parse(readFileSync(path, 'utf8')));
    if (isOf(results, circumstances)) return { results, path };
  }
}

/** The results saved last, or `undefined` when there are none. */
export function latestResults(): Results | undefined {
  const path = latestFile(FOLDER, FILE);
  return path === undefined
    ? undefined
    : Value.Parse(Results, JSON.parse(readFileSync(path, 'utf8')));
}

/** The path of the latest file, by date and number, whose name matches. */
export function latestFile(folder: string, pattern: RegExp): string | undefined {
  const name = readdirSync(folder)
    .flatMap((each) => pattern.exec(each)?.[1] ?? [])
    .toSorted(new Intl.Collator('en', { numeric: true }).compare)
    .at(-1);
  return name && join(folder, `${name}.json`);
}

export function saveResults(path: string, results: Results): void {
  mkdirSync(FOLDER, { recursive: true });
  const rounded = JSON.stringify(results, (_, value: unknown) => round(value), 2);
  writeFileSync(path, `${rounded}\n`);
}

function isOf(results: Results, { revision, machine, peers, scale }: Circumstances): boolean {
  return (
    results.revision === revision &&
    results.machine === machine &&
    results.peers === peers &&
    results.scale === scale
  );
}

function round(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value;
}
