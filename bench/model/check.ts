import type { ClusterResults, ClusterRun } from '../cluster/results.ts';
import type { Station } from './queueing.ts';
import { shareCores } from './shared-cores.ts';

/** Connections of one process to PostgreSQL; so many backends may work for it at once. */
const BACKENDS = 10;

/** What the model says of a run, beside what was measured. */
export interface Checked {
  readonly workload: string;
  readonly processes: number;
  readonly predicted: Prediction;
  /** Mean time of a request, by Little's law from the throughput of the closed load. */
  readonly measured: Prediction;
  /** Throughput predicted ÷ measured - 1. */
  readonly error: number;
}

interface Prediction {
  /** Requests per second. */
  readonly throughput: number;
  /** Mean, in ms. */
  readonly response: number;
}

/**
 * Predicts every run from what the run of one process says a request costs: nothing of the throughput
 * of any run goes in, and of the runs of several processes only how much of the machine was left to
 * them.
 */
export function checkModel({ petstore, cores, connections }: ClusterResults): Checked[] {
  const alone = petstore.find(({ processes }) => processes === 1)?.runs ?? {};
  return Object.entries(alone).flatMap(([workload, known]) =>
    petstore.flatMap(({ processes, runs }) => {
      const run = runs[workload];
      if (!run) return [];
      const customers = connections * processes;
      const left = cores - run.elsewhere;
      const stations = stationsOf(known, processes);
      const { throughput, response } = shareCores({ cores: left, stations, customers });
      return {
        workload,
        processes,
        predicted: { throughput, response: response * 1_000 },
        measured: { throughput: run.perSecond, response: (customers / run.perSecond) * 1_000 },
        error: throughput / run.perSecond - 1,
      };
    }),
  );
}

/** Requests per second of one process of each contestant, had they the machine to themselves. */
export interface Unhindered {
  readonly workload: string;
  readonly petstore: number;
  readonly peer: number;
}

/** Predicts the comparison without the other programs that the measurement had beside it. */
export function unhindered({ petstore, peer, cores, connections }: ClusterResults): Unhindered[] {
  const alone = petstore.find(({ processes }) => processes === 1)?.runs ?? {};
  const throughput = (run: ClusterRun) =>
    shareCores({ cores, stations: stationsOf(run, 1), customers: connections }).throughput;
  return Object.entries(peer).flatMap(([workload, theirs]) => {
    const ours = alone[workload];
    return ours ? { workload, petstore: throughput(ours), peer: throughput(theirs) } : [];
  });
}

/** A process and its load generator are one thread each, Redis is one, PostgreSQL one per connection. */
function stationsOf({ demand }: ClusterRun, processes: number): Station[] {
  const perRequest = (seconds: number) => seconds / 100_000;
  const each = (name: string, seconds: number) =>
    Array.from({ length: processes }, () => ({
      name,
      demand: perRequest(seconds) / processes,
      servers: 1,
    }));
  return [
    ...each('process', demand.service),
    ...each('load', demand.load),
    { name: 'Redis', demand: perRequest(demand.redis), servers: 1 },
    {
      name: 'PostgreSQL',
      demand: perRequest(demand.postgres),
      servers: BACKENDS * processes,
    },
  ];
}
