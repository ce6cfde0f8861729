import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { latestFile } from '../results.ts';

const FOLDER = join(import.meta.dir, '..', 'results');
const FILE = /^(cluster-.+)\.json$/;

/** CPU seconds of each part for 100,000 requests. */
const Demand = Type.Object({
  /** All service processes together. */
  service: Type.Number(),
  redis: Type.Number(),
  postgres: Type.Number(),
  /** nginx, if it forwards the requests. */
  proxy: Type.Optional(Type.Number()),
  /** The load generators. */
  load: Type.Number(),
});
export type Demand = Static<typeof Demand>;

/** Medians of several runs of one workload. Times in ms. */
const ClusterRun = Type.Object({
  perSecond: Type.Number(),
  p50: Type.Number(),
  p99: Type.Number(),
  demand: Demand,
  /** Resident memory in bytes. */
  memory: Type.Object({ service: Type.Number(), redis: Type.Number(), postgres: Type.Number() }),
  /** Bytes of an average reply with its head. */
  bytes: Type.Number(),
  /** Cores that were busy with other programs and interrupts. */
  elsewhere: Type.Number(),
});
export type ClusterRun = Static<typeof ClusterRun>;

export const ClusterResults = Type.Object({
  date: Type.String(),
  /** The commit; followed by a + when `src` had uncommitted changes. */
  revision: Type.String(),
  machine: Type.String(),
  /** Versions of PostgreSQL, Redis and the packages of the peer. */
  versions: Type.String(),
  scale: Type.String(),
  cores: Type.Integer(),
  /** Connections to each process. */
  connections: Type.Integer(),
  /** On the disk of PostgreSQL, indexes included; and in the memory of Redis. */
  bytesPerPet: Type.Number(),
  bytesPerCaller: Type.Number(),
  /** CPU seconds of PostgreSQL for 100,000 rows of usage, which are saved in the background. */
  usageDemand: Type.Number(),
  /** By workload: the Fastify stack. */
  peer: Type.Record(Type.String(), ClusterRun),
  /** By number of processes, then by workload: the petstore. */
  petstore: Type.Array(
    Type.Object({ processes: Type.Integer(), runs: Type.Record(Type.String(), ClusterRun) }),
  ),
  /** By workload: one process of the petstore behind nginx. */
  proxied: Type.Optional(Type.Record(Type.String(), ClusterRun)),
});
export type ClusterResults = Static<typeof ClusterResults>;

/** Saves a measurement in a separate file, named by date, and returns it as saved. */
export function saveClusterResults(results: ClusterResults): ClusterResults {
  mkdirSync(FOLDER, { recursive: true });
  const taken = new Set(readdirSync(FOLDER));
  let name = `cluster-${results.date}.json`;
  for (let number = 2; taken.has(name); number += 1) {
    name = `cluster-${results.date}-${number}.json`;
  }
  const rounded = JSON.stringify(results, (_, value: unknown) => round(value), 2);
  writeFileSync(join(FOLDER, name), `${rounded}\n`);
  return Value.Parse(ClusterResults, JSON.parse(rounded));
}

/** The measurement saved last, or `undefined` when there is none. */
export function latestClusterResults(): ClusterResults | undefined {
  const path = latestFile(FOLDER, FILE);
  if (path === undefined) return undefined;
  return Value.Parse(ClusterResults, JSON.parse(readFileSync(path, 'utf8')));
}

function round(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value;
}
