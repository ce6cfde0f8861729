import type * as client from 'prom-client';

// The index of the package also loads unused parts: its cluster, its push gateway with Node's HTTP client,
// and OpenTelemetry's API. The start would wait ten times as long for them.
export const Counter: typeof client.Counter = require('prom-client/lib/counter.js');
export const Gauge: typeof client.Gauge = require('prom-client/lib/gauge.js');
export const Histogram: typeof client.Histogram = require('prom-client/lib/histogram.js');
export const Registry: typeof client.Registry = require('prom-client/lib/registry.js');

export type Counter<Label extends string = string> = client.Counter<Label>;
export type Gauge<Label extends string = string> = client.Gauge<Label>;
export type Histogram<Label extends string = string> = client.Histogram<Label>;
