import { Histogram, type MetricValueWithName, type Registry } from 'prom-client';
import { SECOND } from '../lib/clock.ts';
import { LATENCY_BUCKETS, type ReplyCounts, type ReplySeries } from './reply-counts.ts';

const NAME = 'petstore_request_duration_seconds';
const HELP = 'Requests by operation and status, and how long each took.';
const LABELS = ['operation', 'status'] as const;

/** Shows what was counted beside the library as one of its histograms. */
export class ReplyHistogram extends Histogram<(typeof LABELS)[number]> {
  readonly #replies: ReplyCounts;

  constructor(replies: ReplyCounts, registry: Registry) {
    super({ name: NAME, help: HELP, labelNames: LABELS, registers: [registry] });
    this.#replies = replies;
  }

  /** What the library asks a histogram for when it writes text. */
  getForPromString() {
    const values = [...this.#replies.series()].flatMap(samplesOf);
    return { name: NAME, help: HELP, type: 'histogram', aggregator: 'sum', values };
  }
}

/** Buckets are cumulative in Prometheus: each counts all that took no longer. */
function samplesOf({ operation, status, buckets, took }: ReplySeries) {
  const labels = { operation, status };
  let count = 0;
  const samples = Array.from(buckets, (replies, index): MetricValueWithName<string> => {
    count += replies;
    const le = LATENCY_BUCKETS[index] ?? '+Inf';
    return { metricName: `${NAME}_bucket`, labels: { le, ...labels }, value: count };
  });
  samples.push({ metricName: `${NAME}_sum`, labels, value: took / SECOND });
  samples.push({ metricName: `${NAME}_count`, labels, value: count });
  return samples;
}
