import type * as client from 'prom-client';
import type { Awaitable } from '../lib/awaitable.ts';
import { SECOND } from '../lib/clock.ts';
import { withTimeout } from '../lib/timeout.ts';

/** How long a scrape waits for one gauge, in ms; Prometheus gives up after a few seconds. */
const GAUGE_TIMEOUT = SECOND;

/** Upper bounds of the buckets of durations, in seconds. */
export const DURATION_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

// The index of the package also loads unused parts: its cluster, its push gateway with Node's HTTP client,
// and OpenTelemetry's API. The start would wait ten times as long for them.
export const Counter: typeof client.Counter = require('prom-client/lib/counter.js');
export const Gauge: typeof client.Gauge = require('prom-client/lib/gauge.js');
export const Histogram: typeof client.Histogram = require('prom-client/lib/histogram.js');
const Registry: typeof client.Registry = require('prom-client/lib/registry.js');

/** Holds the metrics of a process, and adds new ones. */
export class MetricsRegistry extends Registry {
  counter(name: string, help: string, labelNames: string[] = []): client.Counter {
    return new Counter({ name, help, labelNames, registers: [this] });
  }

  histogram(name: string, help: string, buckets = DURATION_BUCKETS): client.Histogram {
    return new Histogram({ name, help, buckets, registers: [this] });
  }

  /** @param read reads the value at each scrape, if there is one; without `read`, the value is set. */
  gauge(name: string, help: string, read?: () => Awaitable<number | undefined>): client.Gauge {
    const registers = [this];
    if (!read) return new Gauge({ name, help, registers });
    return new Gauge({
      name,
      help,
      registers,
      async collect() {
        const value = await withTimeout(GAUGE_TIMEOUT, read).catch(() => undefined);
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  }

  /** @param read reads the values at each scrape, each with its label; without `read`, the values are set. */
  labelledGauge(
    name: string,
    help: string,
    label: string,
    read?: () => Awaitable<Array<readonly [string, number]>>,
  ): client.Gauge {
    const definition = { name, help, labelNames: [label], registers: [this] };
    if (!read) return new Gauge(definition);
    return new Gauge({
      ...definition,
      async collect() {
        const values = await read();
        this.reset();
        for (const [labelled, value] of values) this.set({ [label]: labelled }, value);
      },
    });
  }
}
