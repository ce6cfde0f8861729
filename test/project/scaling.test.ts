import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clusterReport } from '../../bench/cluster/report.ts';
import {
  type ClusterResults,
  type ClusterRun,
  latestClusterResults,
} from '../../bench/cluster/results.ts';
import { capacities, mixCost, scalingReport } from '../../bench/cluster/scaling.ts';

/** CPU seconds for 100,000 requests: 40 µs each in a process, 10 in Redis, 20 in PostgreSQL. */
const DEMAND = { service: 4, redis: 1, postgres: 2, load: 0 };

function run(change: Partial<ClusterRun['demand']> = {}): ClusterRun {
  return {
    ...{ perSecond: 20_000, p50: 1, p99: 2, bytes: 1_000, elsewhere: 0 },
    demand: { ...DEMAND, ...change },
    memory: { service: 0, redis: 0, postgres: 0 },
  };
}

function results(runs: Record<string, ClusterRun>, proxied?: typeof runs): ClusterResults {
  return {
    ...{ date: '2026-01-01', revision: 'none', machine: 'none', versions: 'none', scale: 'none' },
    ...{
      cores: 2,
      connections: 64,
      bytesPerPet: 200,
      bytesPerCaller: 200,
      usageDemand: 0,
      peer: {},
    },
    petstore: [{ processes: 1, runs }],
    ...(proxied && { proxied }),
  };
}

const ALIKE = { 'list-20': run(), get: run(), create: run() };

describe('the costs of a request', () => {
  test('are weighted by the shares of the mix', () => {
    const cost = mixCost(results({ ...ALIKE, create: run({ postgres: 12 }) }));
    expect(cost.service).toBeCloseTo(40, 9);
    expect(cost.postgres).toBeCloseTo(21, 9);
  });

  test('include a fifth of a row of usage', () => {
    const cost = mixCost({ ...results(ALIKE), usageDemand: 1 });
    expect(cost.postgres).toBeCloseTo(22, 9);
  });

  test('include the proxy only where it was measured', () => {
    expect(mixCost(results(ALIKE)).proxy).toBeUndefined();
    const proxied = {
      'list-20': run({ proxy: 1 }),
      get: run({ proxy: 1 }),
      create: run({ proxy: 1 }),
    };
    expect(mixCost(results(ALIKE, proxied)).proxy).toBeCloseTo(10, 9);
  });

  test('cannot be computed from a measurement that lacks a kind of request', () => {
    expect(() => mixCost(results({ 'list-20': run() }))).toThrow('no measurement of get');
  });
});

test('a part ends where its cores are busy for 60 % of the time', () => {
  const rates = capacities(results(ALIKE)).map(({ rate }) => rate);
  const [redis, connections, primary] = rates.map((rate) => Math.round(rate));
  expect(redis).toBe(60_000);
  expect(connections).toBe(9 * 15_000);
  expect(primary).toBe(8 * 30_000);
});

describe('the documentation', () => {
  const page = (name: string) =>
    readFileSync(join(import.meta.dir, '..', '..', 'docs', name), 'utf8');
  const latest = latestClusterResults();
  if (!latest) throw new Error('bench/results/ must hold a measurement of the cluster.');

  test('shows the last measurement of the cluster', () => {
    expect(page('performance.md')).toContain(clusterReport(latest));
  });

  test('shows the costs that follow from it', () => {
    expect(page('scaling.md')).toContain(scalingReport(latest));
  });
});
