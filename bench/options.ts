import { parseArgs } from 'node:util';

/** The size of the stores and the length of the measurements. */
export interface Scale {
  readonly quick: boolean;
  readonly rounds: number;
  /** Length of each measured run. */
  readonly seconds: number;
  /** Length of the preceding checked load. */
  readonly warmUp: number;
  readonly pets: number;
  readonly accounts: number;
  /** Sizes from small to large; the middle one is used while the other dimension grows. */
  readonly growth: {
    readonly pets: readonly [number, number, number];
    readonly accounts: readonly [number, number, number];
  };
  /** Requests after which resident memory is read. */
  readonly memory: readonly [number, number];
  /** Accounts that are active at the same time when resident memory is read. */
  readonly activeAccounts: number;
  readonly startUps: number;
  readonly floor: FloorScale;
  /** Its own scale, so that the section ends within five minutes. */
  readonly cluster: ClusterScale;
  /** The scale of the costs. */
  readonly citus: ClusterScale;
}

/** Many rounds of short samples, so that other work on the machine affects all contestants equally. */
export interface FloorScale {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUp: number;
}

export interface ClusterScale {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUp: number;
  readonly pets: number;
  readonly accounts: number;
}

export interface Options {
  /** Sections and workloads; if empty, the default ones. */
  readonly names: readonly string[];
  /** An earlier commit to measure in the section `floor`. */
  readonly baseline: string | undefined;
  readonly scale: Scale;
}

const FULL: Scale = {
  quick: false,
  rounds: 5,
  seconds: 5,
  warmUp: 2,
  pets: 1_000_000,
  accounts: 10_000,
  growth: { pets: [10_000, 1_000_000, 10_000_000], accounts: [100, 10_000, 100_000] },
  memory: [500_000, 5_000_000],
  activeAccounts: 100_000,
  startUps: 15,
  floor: { rounds: 7, seconds: 3, warmUp: 3 },
  cluster: { rounds: 5, seconds: 3, warmUp: 4, pets: 100_000, accounts: 1_000 },
  citus: { rounds: 3, seconds: 5, warmUp: 2, pets: 300_000, accounts: 200 },
};

const QUICK: Scale = {
  quick: true,
  rounds: 1,
  seconds: 2,
  warmUp: 1,
  pets: 50_000,
  accounts: 100,
  growth: { pets: [1_000, 50_000, 200_000], accounts: [10, 100, 5_000] },
  memory: [5_000, 20_000],
  activeAccounts: 5_000,
  startUps: 3,
  floor: { rounds: 2, seconds: 1, warmUp: 1 },
  cluster: { rounds: 1, seconds: 1, warmUp: 1, pets: 1_000, accounts: 100 },
  citus: { rounds: 1, seconds: 1, warmUp: 1, pets: 1_000, accounts: 100 },
};

/** @throws Error for an unknown option, or one that is not a number. */
export function readOptions(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      quick: { type: 'boolean' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      accounts: { type: 'string' },
      baseline: { type: 'string' },
    },
  });
  const scale = values.quick ? QUICK : FULL;
  const asked = <Of extends { rounds: number; seconds: number }>(of: Of): Of => ({
    ...of,
    rounds: count(values.rounds, '--rounds', of.rounds),
    seconds: count(values.seconds, '--seconds', of.seconds),
  });
  return {
    names: positionals,
    baseline: values.baseline,
    scale: {
      ...asked(scale),
      accounts: count(values.accounts, '--accounts', scale.accounts),
      floor: asked(scale.floor),
      cluster: asked(scale.cluster),
      citus: asked(scale.citus),
    },
  };
}

function count(text: string | undefined, name: string, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new Error(`${name} takes a whole number from 1 to 999999, not "${text}".`);
}
