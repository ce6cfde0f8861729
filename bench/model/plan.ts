import type { ClusterResults, ClusterRun } from '../cluster/results.ts';
import { openQueue } from './queueing.ts';

/** Of all requests, by workload: mostly first pages, which processes keep; some reads by id; few creations. */
export const MIX = { 'list-20': 0.9, get: 0.09, create: 0.01 } as const;

/** Requests per second that are planned for. */
export const RATES = [1_000, 100_000, 10_000_000] as const;

/** Share of the time that a thread or core may be busy in a plan. */
export const UTILISATION = 0.6;

/** What one process, Redis or PostgreSQL never goes below, so that one may fail. */
const LEAST_PROCESSES = 3;

/** A PostgreSQL primary as large as machines are cheap, and the data that one keeps. */
export const SHARD = { cores: 8, terabytes: 2 } as const;

/** How long animals are kept, in months: none is ever deleted, so this is how far ahead is planned. */
export const MONTHS = 12;

/** Requests of an active caller per second: what the Free plan allows. */
export const PER_CALLER = 1;

/** How often a process saves what it counted of each account that it served, in seconds. */
const USAGE_EVERY = 5;

/** Slots of a Redis Cluster. */
const SLOTS = 16_384;

/** Seconds of a month of 30 days. */
const MONTH = 30 * 86_400;

/** Assumed prices in US dollars; put your own here. */
export const PRICES = {
  /** A core with 4 GB of memory, for a month. */
  core: 25,
  /** A gigabyte of solid-state disk, for a month. */
  diskGigabyte: 0.1,
  /** A gigabyte sent to the internet. */
  sentGigabyte: 0.01,
} as const;

/** What 100,000 requests of the mix cost, in CPU seconds, and an average reply in bytes. */
export interface MixDemand {
  readonly service: number;
  readonly redis: number;
  /** Of reads by id, which replicas can take, and of creations, which they cannot. */
  readonly postgres: { readonly reads: number; readonly creates: number };
  readonly bytes: number;
}

export interface Plan {
  readonly rate: number;
  readonly processes: number;
  readonly redisShards: number;
  readonly slotsPerShard: number;
  /** Requests per second and shard, and what a shard could do at most. */
  readonly perShard: { readonly planned: number; readonly most: number };
  /** Primaries that creations, usage and a year of data need. */
  readonly postgresShards: number;
  readonly postgresCores: {
    readonly reads: number;
    readonly creates: number;
    readonly usage: number;
  };
  /** Rows of usage saved per second, where a caller always meets the same process and where any. */
  readonly usageRows: { readonly kept: number; readonly spread: number };
  readonly callers: number;
  readonly redisGigabytes: number;
  readonly connections: number;
  readonly createsPerSecond: number;
  readonly terabytesPerMonth: number;
  readonly gigabitsPerSecond: number;
  /** Of everything, replicas of Redis and PostgreSQL included. */
  readonly cores: number;
  readonly memoryGigabytes: number;
  /** US dollars a month. */
  readonly cost: { readonly cores: number; readonly disk: number; readonly sent: number };
}

/** @throws Error when a workload of the mix was not measured with one process. */
export function mixDemand({ petstore }: ClusterResults): MixDemand {
  const runs = petstore.find(({ processes }) => processes === 1)?.runs;
  const of = (name: keyof typeof MIX): ClusterRun => {
    const run = runs?.[name];
    if (!run) throw new Error(`There is no measurement of ${name} with one process.`);
    return run;
  };
  const sum = (pick: (run: ClusterRun) => number) =>
    MIX['list-20'] * pick(of('list-20')) +
    MIX.get * pick(of('get')) +
    MIX.create * pick(of('create'));
  return {
    service: sum(({ demand }) => demand.service),
    redis: sum(({ demand }) => demand.redis),
    postgres: {
      reads: MIX.get * of('get').demand.postgres,
      creates: MIX.create * of('create').demand.postgres,
    },
    bytes: sum(({ bytes }) => bytes),
  };
}

/** Sizes everything for so many requests per second. */
export function planFor(rate: number, results: ClusterResults): Plan {
  const demand = mixDemand(results);
  const busy = (seconds: number) => (rate * seconds) / 100_000;
  const sized = (seconds: number) => Math.ceil(busy(seconds) / UTILISATION);
  const processes = Math.max(LEAST_PROCESSES, sized(demand.service));
  const redisShards = Math.max(1, sized(demand.redis));
  const createsPerSecond = rate * MIX.create;
  const terabytesPerMonth = (createsPerSecond * MONTH * results.bytesPerAnimal) / 1e12;
  const callers = rate / PER_CALLER;
  const usageRows = usageRowsOf(callers, processes);
  const postgresCores = {
    reads: busy(demand.postgres.reads) / UTILISATION,
    creates: busy(demand.postgres.creates) / UTILISATION,
    usage: (usageRows.kept * results.usageDemand) / 100_000 / UTILISATION,
  };
  const writes = postgresCores.creates + postgresCores.usage;
  const postgresShards = Math.max(
    Math.ceil(writes / SHARD.cores),
    Math.ceil((terabytesPerMonth * MONTHS) / SHARD.terabytes),
    1,
  );
  // Each primary has a replica that takes reads, too; more of them where reads need more.
  const postgresCoresInAll = Math.max(
    2 * postgresShards,
    Math.ceil(2 * writes + postgresCores.reads),
  );
  const cores = processes + 2 * redisShards + postgresCoresInAll;
  const sentPerSecond = rate * demand.bytes;
  return {
    ...{ rate, processes, redisShards, createsPerSecond, terabytesPerMonth },
    ...{ postgresShards, postgresCores, usageRows, callers, cores },
    redisGigabytes: (callers * results.bytesPerCaller) / 1e9,
    slotsPerShard: Math.floor(SLOTS / redisShards),
    perShard: { planned: rate / redisShards, most: 100_000 / demand.redis },
    connections: processes * 10,
    gigabitsPerSecond: (sentPerSecond * 8) / 1e9,
    memoryGigabytes: cores * 4,
    cost: {
      cores: cores * PRICES.core,
      // Of the last month of the year, on primary and replica.
      disk: 2 * terabytesPerMonth * MONTHS * 1_000 * PRICES.diskGigabyte,
      sent: ((sentPerSecond * MONTH) / 1e9) * PRICES.sentGigabyte,
    },
  };
}

/**
 * Rows per second: one for each account that a process served since it last saved. Of callers that are
 * spread over all processes, a process sees some of the requests of nearly everybody.
 */
function usageRowsOf(callers: number, processes: number): { kept: number; spread: number } {
  const seen = (requests: number) => 1 - Math.exp(-requests);
  const requests = PER_CALLER * USAGE_EVERY;
  return {
    kept: (callers * seen(requests)) / USAGE_EVERY,
    spread: (processes * callers * seen(requests / processes)) / USAGE_EVERY,
  };
}

/** How long replies take at a share of what a process can do. Times in ms. */
export interface LoadPoint {
  readonly utilisation: number;
  /** Each process with a queue of its own. */
  readonly alone: { readonly mean: number; readonly p99: number };
  /** Ten processes that take from one queue, as a balancer that sends to the least busy comes near to. */
  readonly pooled: { readonly mean: number; readonly p99: number };
}

const POOL = 10;

/** Response times of a process over its utilisation, from what a request of the mix costs it. */
export function loadCurve(results: ClusterResults): LoadPoint[] {
  const service = mixDemand(results).service / 100_000;
  const at = (utilisation: number, servers: number) => {
    const arrivals = (utilisation * servers) / service;
    const { response, quantile } = openQueue({ arrivals, service, servers });
    return { mean: response * 1_000, p99: quantile(0.99) * 1_000 };
  };
  return [0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95].map((utilisation) => ({
    utilisation,
    alone: at(utilisation, 1),
    pooled: at(utilisation, POOL),
  }));
}
