import { table } from '../table.ts';
import type { ClusterResults, ClusterRun, Demand } from './results.ts';

/** Shares of the requests: mostly first pages from memory, some reads by id, few creations. */
const MIX = { 'list-20': 0.9, get: 0.09, create: 0.01 } as const;
type Kind = keyof typeof MIX;
const KINDS: readonly Kind[] = ['list-20', 'get', 'create'];

const TITLES: Readonly<Record<Kind, string>> = {
  'list-20': '`GET /pets`',
  get: '`GET /pets/{petId}`',
  create: '`POST /pets`',
};

/** Requests per second. */
const RATES = [1_000, 10_000, 100_000] as const;

const SECONDS_PER_DAY = 86_400;

/** The planned utilisation of a core. */
export const UTILISATION = 0.6;

/** Cores of the machine of the PostgreSQL primary. */
export const PRIMARY_CORES = 8;

/** Processes with ten connections each that fit into PostgreSQL's default of 97 connections for users. */
const PROCESSES_BY_DEFAULT = 9;

/**
 * Rows of usage that are saved per request: every 5 s a process saves one row for each account that it
 * served, and each account sends one request per second to one process.
 */
const USAGE_ROWS = 0.2;

/** The cost of one request to each part, in µs of CPU time; `undefined` where it was not measured. */
interface Cost {
  readonly service: number;
  readonly postgres: number;
  readonly redis: number;
  readonly proxy: number | undefined;
}

/** The requests per second at which a part reaches the planned utilisation. */
interface Capacity {
  readonly part: string;
  readonly rate: number;
}

/** The cost of requests, the cores for each rate, and the part that reaches its limit first, as Markdown. */
export function scalingReport(results: ClusterResults): string {
  const { date, revision, machine, bytesPerPet, bytesPerCaller } = results;
  const ends = capacities(results)
    .toSorted((one, other) => one.rate - other.rate)
    .map(({ part, rate }) => `1. ${part}: ${whole(rate)} requests/s of the mix.`);
  const creations = capacityOf(costs(results).create.postgres, PRIMARY_CORES);
  return [
    `From the measurement of ${date}, revision ${revision}. Machine: ${machine}.`,
    costTable(results),
    `The parts that do not grow with the number of processes end in this order, at ${UTILISATION * 100} % utilisation:`,
    ends.join('\n'),
    `With nothing but creations, ${PRIMARY_CORES} cores of the primary end at ${whole(creations)} a second. ` +
      `A pet takes ${whole(bytesPerPet)} bytes of the primary's disk, indexes included; an active account ` +
      `takes ${whole(bytesPerCaller)} bytes of Redis's memory.`,
  ].join('\n\n');
}

/**
 * The cost of one request of each kind with one process, in µs of CPU time.
 * @throws Error when a kind was not measured with one process.
 */
export function costs(results: ClusterResults): Readonly<Record<Kind, Cost>> {
  return {
    'list-20': costOf(results, 'list-20'),
    get: costOf(results, 'get'),
    create: costOf(results, 'create'),
  };
}

/** The cost of an average request of the mix, including the rows of usage. */
export function mixCost(results: ClusterResults): Cost {
  const each = costs(results);
  const average = (pick: (cost: Cost) => number) =>
    KINDS.reduce((sum, kind) => sum + MIX[kind] * pick(each[kind]), 0);
  const proxy = average((cost) => cost.proxy ?? Number.NaN);
  return {
    service: average(({ service }) => service),
    postgres: average(({ postgres }) => postgres) + USAGE_ROWS * micros(results.usageDemand),
    redis: average(({ redis }) => redis),
    proxy: Number.isNaN(proxy) ? undefined : proxy,
  };
}

/** The limits of the parts that do not grow with the number of processes. */
export function capacities(results: ClusterResults): Capacity[] {
  const { service, redis, postgres } = mixCost(results);
  return [
    { part: 'One Redis server, whose commands run in one thread', rate: capacityOf(redis, 1) },
    {
      part: `The default \`max_connections\` of PostgreSQL, at ${PROCESSES_BY_DEFAULT} processes`,
      rate: capacityOf(service, PROCESSES_BY_DEFAULT),
    },
    {
      part: `The CPU of the PostgreSQL primary, with ${PRIMARY_CORES} cores`,
      rate: capacityOf(postgres, PRIMARY_CORES),
    },
  ];
}

function costOf({ petstore, proxied }: ClusterResults, kind: Kind): Cost {
  const run: ClusterRun | undefined = petstore.find(({ processes }) => processes === 1)?.runs[kind];
  if (!run) throw new Error(`There is no measurement of ${kind} with one process.`);
  const { service, postgres, redis }: Demand = run.demand;
  const proxy = proxied?.[kind]?.demand.proxy;
  return {
    service: micros(service),
    postgres: micros(postgres),
    redis: micros(redis),
    proxy: proxy === undefined ? undefined : micros(proxy),
  };
}

function costTable(results: ClusterResults): string {
  const each = costs(results);
  const mix = mixCost(results);
  const rows = [
    ...KINDS.map((kind) => [TITLES[kind], each[kind]] as const),
    [`mix: ${shares()}`, mix] as const,
  ].map(([title, cost]) => [`${title}: CPU µs`, ...cells(cost, (value) => value.toFixed(2))]);
  const perRate = RATES.map((rate) => [
    `cores at ${whole(rate)} requests/s of the mix`,
    ...cells(mix, (value) => ((value * rate) / 1e6 / UTILISATION).toFixed(2)),
  ]);
  const data = ['GB of new pets a day, at 100,000 requests/s', '', perDay(results), '', ''];
  const header = ['', 'petstore processes', 'PostgreSQL', 'Redis', 'nginx'];
  return table(header, [...rows, ...perRate, data]);
}

function perDay({ bytesPerPet }: ClusterResults): string {
  return ((MIX.create * 100_000 * SECONDS_PER_DAY * bytesPerPet) / 1e9).toFixed(0);
}

function cells(cost: Cost, write: (value: number) => string): string[] {
  const { service, postgres, redis, proxy } = cost;
  return [service, postgres, redis, proxy].map((value) =>
    value === undefined ? 'not measured' : write(value),
  );
}

function shares(): string {
  return KINDS.map((kind) => `${Math.round(MIX[kind] * 100)} % ${TITLES[kind]}`).join(', ');
}

function capacityOf(microsPerRequest: number, cores: number): number {
  return (cores * UTILISATION * 1e6) / microsPerRequest;
}

/** From CPU seconds per 100,000 requests to µs per request. */
function micros(seconds: number): number {
  return seconds * 10;
}

function whole(value: number | undefined): string {
  return Math.round(value ?? Number.NaN).toLocaleString('en-US');
}
