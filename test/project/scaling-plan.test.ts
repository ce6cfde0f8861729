import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clusterReport } from '../../bench/cluster/report.ts';
import {
  type ClusterResults,
  type ClusterRun,
  latestClusterResults,
} from '../../bench/cluster/results.ts';
import { checkModel, unhindered } from '../../bench/model/check.ts';
import { modelReport } from '../../bench/model/command.ts';
import { planFor, RATES, UTILISATION } from '../../bench/model/plan.ts';

/** CPU seconds per 100,000 requests: 40 µs in a process, 10 in Redis, 20 in PostgreSQL. */
const DEMAND = { service: 4, redis: 1, postgres: 2, load: 0 };

function run(change: Partial<ClusterRun> = {}): ClusterRun {
  return {
    ...{ perSecond: 20_000, p50: 1, p99: 2, demand: DEMAND, bytes: 1_000, elsewhere: 0 },
    memory: { service: 0, redis: 0, postgres: 0 },
    ...change,
  };
}

function results(change: Partial<ClusterResults> = {}): ClusterResults {
  const runs = { 'list-20': run(), get: run(), create: run() };
  return {
    ...{ date: '2026-01-01', revision: 'none', machine: 'none', versions: 'none', scale: 'none' },
    ...{ cores: 2, connections: 64, bytesPerAnimal: 200, bytesPerCaller: 200 },
    ...{ usageDemand: 2, peer: {} },
    petstore: [{ processes: 1, runs }],
    ...change,
  };
}

describe('the model', () => {
  test('is held back by the thread of one process where cores are left over', () => {
    const [checked] = checkModel(results({ cores: 16 }));
    expect(checked?.predicted.throughput).toBeCloseTo(1e6 / 40, -2);
    expect(checked?.predicted.response).toBeCloseTo(64 * 0.04, 1);
  });

  test('is held back by the cores where several processes share them', () => {
    const runs = { 'list-20': run() };
    const petstore = [1, 2, 3].map((processes) => ({ processes, runs }));
    const predicted = checkModel(results({ petstore })).map((each) => each.predicted.throughput);
    // 70 µs of CPU time for each request, on two cores.
    const most = 2e6 / 70;
    expect(predicted[0]).toBeLessThanOrEqual(1e6 / 40);
    for (const throughput of predicted.slice(1)) {
      expect(throughput / most).toBeGreaterThan(0.95);
      expect(throughput / most).toBeLessThanOrEqual(1);
    }
  });

  test('counts on no core that was busy with something else', () => {
    const petstore = [{ processes: 1, runs: { 'list-20': run({ elsewhere: 1.5 }) } }];
    const [checked] = checkModel(results({ petstore }));
    expect(checked?.predicted.throughput).toBeLessThanOrEqual(0.5e6 / 70);
  });

  test('compares two contestants as if nothing else had run', () => {
    const dear = run({ demand: { ...DEMAND, service: 16 }, elsewhere: 1.5 });
    const [compared] = unhindered(results({ cores: 16, peer: { 'list-20': dear } }));
    expect(compared?.workload).toBe('list-20');
    expect((compared?.petstore ?? 0) / (compared?.peer ?? 0)).toBeCloseTo(4, 2);
  });
});

describe('a plan', () => {
  test('keeps processes, shards and primaries below the load that it aims at', () => {
    for (const rate of RATES) {
      const { processes, redisShards, postgresCores } = planFor(rate, results());
      expect((rate * 40e-6) / processes).toBeLessThanOrEqual(UTILISATION);
      expect((rate * 10e-6) / redisShards).toBeLessThanOrEqual(UTILISATION);
      const busy = rate * 20e-6 * (0.09 + 0.01);
      expect(busy / (postgresCores.reads + postgresCores.creates)).toBeCloseTo(UTILISATION, 9);
    }
  });

  test('can lose a process even where one would do', () => {
    expect(planFor(1, results()).processes).toBe(3);
  });

  test('saves fewer rows of usage where a caller always meets the same process', () => {
    const { usageRows, processes, callers } = planFor(1_000_000, results());
    expect(usageRows.kept).toBeCloseTo((callers / 5) * (1 - Math.exp(-5)), 6);
    // With so many processes hardly any two requests of a caller meet in one.
    expect(processes).toBeGreaterThan(50);
    expect(usageRows.spread / callers).toBeGreaterThan(0.95);
    expect(usageRows.spread / callers).toBeLessThanOrEqual(1);
  });

  test('gives every slot of a Redis Cluster to a shard', () => {
    const { redisShards, slotsPerShard } = planFor(10_000_000, results());
    expect(redisShards).toBe(Math.ceil(100 / UTILISATION));
    expect(slotsPerShard).toBe(Math.floor(16_384 / redisShards));
  });

  test('grows with the rate, and so does what it costs', () => {
    const plans = RATES.map((rate) => planFor(rate, results()));
    const [small, middle, large] = plans.map(({ cost }) => cost.cores + cost.disk + cost.sent);
    expect(middle).toBeGreaterThan(small ?? Infinity);
    expect(large).toBeGreaterThan(10 * (middle ?? Infinity));
    expect(plans.map(({ cost }) => cost.sent)).toEqual([25.92, 2_592, 259_200]);
  });

  test('cannot be made from a measurement that lacks a part of the mix', () => {
    const petstore = [{ processes: 1, runs: { 'list-20': run() } }];
    expect(() => planFor(1_000, results({ petstore }))).toThrow('measurement of get');
  });
});

describe('the documentation', () => {
  const page = (name: string) =>
    readFileSync(join(import.meta.dir, '..', '..', 'docs', name), 'utf8');
  const latest = latestClusterResults();
  if (!latest) throw new Error('The last measurement of the cluster belongs into bench/results/.');

  test('shows what the last measurement of the cluster says', () => {
    expect(page('performance.md')).toContain(clusterReport(latest));
  });

  test('shows what the model makes of it', () => {
    expect(page('scaling.md')).toContain(modelReport(latest));
  });
});
