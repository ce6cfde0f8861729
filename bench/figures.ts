import type { Results, Sample } from './results.ts';
import { READS } from './workloads.ts';

/** One of the goals of the service. */
export interface Figure {
  readonly name: string;
  readonly asked: string;
  readonly measured: string;
  readonly reached: boolean;
}

const MEGABYTE = 1e6;

/** Every goal that these results cover, except for the floor, whose table has its own goals. */
export function figures(results: Results): Figure[] {
  return [
    ...mixFigures(results),
    ...growthFigures(results),
    ...startUpFigures(results),
    ...throwawayFigures(results),
    ...memoryFigures(results),
  ];
}

function mixFigures({ mix }: Results): Figure[] {
  if (!mix) return [];
  return atMost('mix 90/10: p99 of the lists ÷ without creates', 2, mix.beside.p99 / mix.alone.p99);
}

function growthFigures({ growth }: Results): Figure[] {
  if (!growth || growth.length === 0) return [];
  const byPets = growth.toSorted((a, b) => a.pets - b.pets);
  const byAccounts = growth.toSorted((a, b) => a.accounts - b.accounts);
  const [fewPets, manyPets] = [byPets.at(0), byPets.at(-1)];
  const [fewAccounts, manyAccounts] = [byAccounts.at(0), byAccounts.at(-1)];
  const between = (
    asked: number,
    few: typeof fewPets,
    many: typeof few,
    what: 'pets' | 'accounts',
  ) =>
    READS.flatMap((read) =>
      atLeast(
        `${read}, ${count(many?.[what])} ÷ ${count(few?.[what])} ${what}`,
        asked,
        ratio(many?.reads[read], few?.reads[read]),
      ),
    );
  return [
    ...between(0.9, fewPets, manyPets, 'pets'),
    ...between(0.8, fewAccounts, manyAccounts, 'accounts'),
  ];
}

function startUpFigures({ startUp }: Results): Figure[] {
  if (!startUp) return [];
  const { petstore, executable, cpu } = startUp;
  return [
    ...within('first 200, from source', 150, petstore),
    ...(executable === undefined ? [] : within('first 200, executable', 50, executable)),
    ...(cpu
      ? [
          ...within('CPU to the first 200, from source', 160, cpu.petstore.firstReply),
          ...within('CPU to the first 200, executable', 60, cpu.executable.firstReply),
        ]
      : []),
  ];
}

function throwawayFigures({ throwaway }: Results): Figure[] {
  if (!throwaway) return [];
  return [
    ...within('first 200, throwaway service', 100, throwaway.firstReply),
    ...within('100 resets of a throwaway service', 2_000, throwaway.resets),
  ];
}

function memoryFigures({ memory }: Results): Figure[] {
  const [first, last] = [memory?.after.at(0), memory?.after.at(-1)];
  if (!memory || !first || !last) return [];
  const name = `resident memory after ${count(last.requests)} ÷ after ${count(first.requests)} mixed requests`;
  const { active } = memory;
  return [
    ...below('resident memory, idle', 120, memory.idle),
    ...atMost(name, 1.1, last.memory / first.memory),
    ...(active
      ? below(`resident memory, ${count(active.accounts)} accounts active`, 250, active.memory)
      : []),
  ];
}

function ratio(ours: Sample | undefined, other: Sample | undefined): number | undefined {
  return ours && other && ours.perSecond / other.perSecond;
}

function atLeast(name: string, asked: number, measured: number | undefined): Figure[] {
  if (measured === undefined) return [];
  const reached = measured >= asked;
  return [{ name, asked: `at least ${asked}`, measured: measured.toFixed(2), reached }];
}

function atMost(name: string, asked: number, measured: number): Figure[] {
  const reached = measured <= asked;
  return [{ name, asked: `at most ${asked}`, measured: measured.toFixed(2), reached }];
}

function within(name: string, asked: number, milliseconds: number): Figure[] {
  const reached = milliseconds <= asked;
  const measured = `${milliseconds.toFixed(0)} ms`;
  return [{ name, asked: `at most ${asked} ms`, measured, reached }];
}

function below(name: string, megabytes: number, bytes: number): Figure[] {
  const measured = bytes / MEGABYTE;
  const reached = measured < megabytes;
  return [{ name, asked: `under ${megabytes} MB`, measured: `${measured.toFixed(0)} MB`, reached }];
}

function count(value: number | undefined): string {
  return (value ?? 0).toLocaleString('en-US');
}
