import type { Results, Sample } from './results.ts';
import { READS } from './workloads.ts';

/** One of the aims that the service is held to. */
export interface Figure {
  readonly name: string;
  readonly asked: string;
  readonly measured: string;
  readonly reached: boolean;
}

const MEGABYTE = 1e6;

/** Every aim that these results can speak of. */
export function figures(results: Results): Figure[] {
  return [
    ...listFigures(results),
    ...readFigures(results),
    ...createFigures(results),
    ...mixFigures(results),
    ...refusalFigures(results),
    ...growthFigures(results),
    ...startUpFigures(results),
    ...memoryFigures(results),
  ];
}

const LIST_AIMS = [
  ['bun', "Bun.serve's constant", 0.75],
  ['nginx', "nginx's constant", 0.5],
  ['node', "node:http's constant", 1.3],
  ['fastify', 'the Fastify stack', 6],
  ['prism', 'Prism', 50],
  ['hono', 'Hono with better-auth', 100],
] as const;

function listFigures({ workloads }: Results): Figure[] {
  const rows = workloads['list-20'];
  return LIST_AIMS.flatMap(([peer, title, asked]) =>
    atLeast(`list 20 ÷ ${title}`, asked, ratio(rows?.['petstore'], rows?.[peer])),
  );
}

function readFigures({ workloads }: Results): Figure[] {
  return ['get', 'list-20-status', 'walk'].flatMap((name) => {
    const rows = workloads[name];
    const measured = ratio(rows?.['petstore'], rows?.['bun']);
    return atLeast(`${name} ÷ Bun.serve's constant of the same bytes`, 0.7, measured);
  });
}

function createFigures({ workloads }: Results): Figure[] {
  const rows = workloads['create'];
  const ours = rows?.['petstore'];
  return [
    ...atLeast('create ÷ the Fastify stack', 10, ratio(ours, rows?.['fastify'])),
    ...atLeast('create ÷ a commit per request', 10, ratio(ours, rows?.['one-commit-each'])),
  ];
}

function mixFigures({ mix }: Results): Figure[] {
  if (!mix) return [];
  return atMost('mix 90/10: p99 of the lists ÷ without creates', 2, mix.beside.p99 / mix.alone.p99);
}

function refusalFigures({ workloads }: Results): Figure[] {
  const list = workloads['list-20']?.['petstore'];
  return ['refuse-429', 'refuse-401', 'refuse-401-no-key'].flatMap((name) =>
    atLeast(`${name} ÷ list 20`, 1, ratio(workloads[name]?.['petstore'], list)),
  );
}

function growthFigures({ growth }: Results): Figure[] {
  if (!growth || growth.length === 0) return [];
  const byAnimals = growth.toSorted((a, b) => a.animals - b.animals);
  const byAccounts = growth.toSorted((a, b) => a.accounts - b.accounts);
  const [fewAnimals, manyAnimals] = [byAnimals.at(0), byAnimals.at(-1)];
  const [fewAccounts, manyAccounts] = [byAccounts.at(0), byAccounts.at(-1)];
  const between = (
    asked: number,
    few: typeof fewAnimals,
    many: typeof few,
    what: 'animals' | 'accounts',
  ) =>
    READS.flatMap((read) =>
      atLeast(
        `${read}, ${count(many?.[what])} ÷ ${count(few?.[what])} ${what}`,
        asked,
        ratio(many?.reads[read], few?.reads[read]),
      ),
    );
  return [
    ...between(0.9, fewAnimals, manyAnimals, 'animals'),
    ...between(0.8, fewAccounts, manyAccounts, 'accounts'),
    ...below(
      `resident memory at ${count(manyAccounts?.accounts)} accounts`,
      400,
      manyAccounts?.memory ?? 0,
    ),
  ];
}

function startUpFigures({ startUp }: Results): Figure[] {
  if (!startUp) return [];
  const { petstore, executable, helloWorld } = startUp;
  const against = "÷ a Bun.serve hello-world's";
  return [
    ...atMost(`first 200, from source, ${against}`, 3, petstore / helloWorld),
    ...(executable ? atMost(`first 200, executable, ${against}`, 3, executable / helloWorld) : []),
  ];
}

function memoryFigures({ memory }: Results): Figure[] {
  const [first, last] = [memory?.after.at(0), memory?.after.at(-1)];
  if (!memory || !first || !last) return [];
  const name = `resident memory after ${count(last.requests)} ÷ after ${count(first.requests)} mixed requests`;
  return [
    ...below('resident memory, idle', 120, memory.idle),
    ...atMost(name, 1.1, last.memory / first.memory),
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

function below(name: string, megabytes: number, bytes: number): Figure[] {
  const measured = bytes / MEGABYTE;
  const reached = measured < megabytes;
  return [{ name, asked: `under ${megabytes} MB`, measured: `${measured.toFixed(0)} MB`, reached }];
}

function count(value: number | undefined): string {
  return (value ?? 0).toLocaleString('en-US');
}
