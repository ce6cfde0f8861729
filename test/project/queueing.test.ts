import { describe, expect, test } from 'bun:test';
import { erlangC, meanValueAnalysis, openQueue, type Station } from '../../bench/model/queueing.ts';
import { shareCores } from '../../bench/model/shared-cores.ts';

const single = (demand: number, name = 'server'): Station => ({ name, demand, servers: 1 });
const think = (demand: number): Station => ({ name: 'think', demand, servers: Infinity });

describe('Erlang C', () => {
  test('with one server is the utilisation', () => {
    for (const load of [0.1, 0.5, 0.99]) expect(erlangC(1, load)).toBeCloseTo(load, 12);
  });

  test('with two servers is 2ρ² / (1 + ρ)', () => {
    for (const use of [0.2, 0.5, 0.9]) {
      expect(erlangC(2, 2 * use)).toBeCloseTo((2 * use ** 2) / (1 + use), 12);
    }
  });

  test('has the values of the published tables', () => {
    expect(erlangC(3, 2)).toBeCloseTo(4 / 9, 12);
    expect(erlangC(5, 4)).toBeCloseTo(0.5541, 4);
    expect(erlangC(10, 8)).toBeCloseTo(0.4092, 4);
  });

  test('holds for as many servers as the largest plan has', () => {
    // The square-root rule of Halfin and Whitt: with β = 1 some 22 % wait, however many there are.
    const servers = 10_000;
    expect(erlangC(servers, servers - Math.sqrt(servers))).toBeCloseTo(0.2234, 2);
  });

  test('refuses more than the servers can do', () => {
    expect(() => erlangC(2, 2)).toThrow(RangeError);
  });
});

describe('an open queue', () => {
  test('with one server is M/M/1: response s / (1 - ρ), exponentially distributed', () => {
    const { utilisation, response, quantile } = openQueue({
      arrivals: 80,
      service: 0.01,
      servers: 1,
    });
    expect(utilisation).toBeCloseTo(0.8, 12);
    expect(response).toBeCloseTo(0.05, 12);
    expect(quantile(0.99)).toBeCloseTo(0.05 * Math.log(100), 9);
    expect(quantile(0.5)).toBeCloseTo(0.05 * Math.log(2), 9);
  });

  test('with nothing to do takes the service time alone', () => {
    const { response, quantile } = openQueue({ arrivals: 1e-9, service: 0.002, servers: 4 });
    expect(response).toBeCloseTo(0.002, 9);
    expect(quantile(0.99)).toBeCloseTo(0.002 * Math.log(100), 9);
  });

  test('with three servers waits C / (cμ - λ), and keeps its mean in its quantiles', () => {
    const queue = openQueue({ arrivals: 200, service: 0.01, servers: 3 });
    expect(queue.waiting).toBeCloseTo(4 / 9, 12);
    expect(queue.response).toBeCloseTo(0.01 + 4 / 9 / 100, 12);
    const steps = 10_000;
    const shares = Array.from({ length: steps }, (_, step) => (step + 0.5) / steps);
    const mean = shares.reduce((sum, share) => sum + queue.quantile(share), 0) / steps;
    expect(mean / queue.response).toBeCloseTo(1, 2);
  });
});

describe('Mean Value Analysis', () => {
  test('of a balanced network gives N / (N + K - 1) / D', () => {
    const stations = [single(0.02, 'a'), single(0.02, 'b'), single(0.02, 'c')];
    for (const customers of [1, 2, 10, 100]) {
      const { throughput, response } = meanValueAnalysis(stations, customers);
      expect(throughput).toBeCloseTo(customers / (customers + 2) / 0.02, 9);
      expect(response).toBeCloseTo(customers / throughput, 9);
    }
  });

  test('of one server and thinking customers is the machine repairman', () => {
    const [service, pause, customers] = [0.5, 2, 6];
    // The chance of an idle server, from the chain of births and deaths.
    const ratio = service / pause;
    let [term, sum] = [1, 1];
    for (let count = 1; count <= customers; count += 1) {
      term *= (customers - count + 1) * ratio;
      sum += term;
    }
    const { throughput, utilisation } = meanValueAnalysis(
      [single(service), think(pause)],
      customers,
    );
    expect(throughput).toBeCloseTo((1 - 1 / sum) / service, 9);
    expect(utilisation[0]).toBeCloseTo(1 - 1 / sum, 9);
    expect(utilisation[1]).toBe(0);
  });

  test('of three servers and thinking customers is M/M/3 with a finite source', () => {
    const [service, pause, customers, servers] = [0.5, 1, 8, 3];
    const weights = [1];
    for (let count = 1; count <= customers; count += 1) {
      const before = weights[count - 1] ?? 0;
      const arrivals = (customers - count + 1) / pause;
      weights.push((before * arrivals * service) / Math.min(count, servers));
    }
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const busy = weights.reduce((sum, weight, count) => sum + weight * Math.min(count, servers), 0);
    const station = { name: 'three', demand: service, servers };
    const { throughput } = meanValueAnalysis([station, think(pause)], customers);
    expect(throughput).toBeCloseTo(busy / total / service, 9);
  });

  test('lets nobody wait where there are as many servers as customers', () => {
    const station = { name: 'many', demand: 0.1, servers: 5 };
    expect(meanValueAnalysis([station], 5).throughput).toBeCloseTo(50, 9);
    expect(meanValueAnalysis([station], 50).throughput).toBeCloseTo(50, 9);
  });
});

describe('stations that share cores', () => {
  test('do not stretch where there is a core for each', () => {
    const stations = [single(0.01, 'a'), single(0.02, 'b')];
    const alone = meanValueAnalysis(stations, 7);
    const shared = shareCores({ cores: 2, stations, customers: 7 });
    expect(shared.stretch).toBe(1);
    expect(shared.throughput).toBe(alone.throughput);
  });

  test('never use more than all cores, and come near to it under load', () => {
    const stations = [single(0.01, 'a'), single(0.01, 'b'), single(0.01, 'c'), think(0.001)];
    const { throughput, stretch } = shareCores({ cores: 2, stations, customers: 300 });
    expect(throughput * 0.03).toBeLessThanOrEqual(2);
    expect(throughput * 0.03).toBeGreaterThan(1.98);
    expect(stretch).toBeCloseTo(1.5, 1);
  });

  test('are bound by the slowest thread where cores are left over', () => {
    const stations = [single(0.01, 'a'), single(0.001, 'b'), single(0.001, 'c')];
    const { throughput } = shareCores({ cores: 4, stations, customers: 50 });
    expect(throughput).toBeCloseTo(100, 6);
  });

  test('on one core are as fast as all of their work one after the other', () => {
    const stations = [single(0.01, 'a'), single(0.03, 'b')];
    const { throughput } = shareCores({ cores: 1, stations, customers: 20 });
    expect(throughput).toBeLessThanOrEqual(1 / 0.04);
    expect(throughput).toBeGreaterThan(0.9 / 0.04);
  });
});
