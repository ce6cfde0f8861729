import type { Awaitable } from '../lib/awaitable.ts';
import type { Stores } from '../storage/stores.ts';
import { Gauge, type Registry } from './prometheus.ts';

type MetricsRegistry = InstanceType<typeof Registry>;

/** The parts of the stores that the metrics read at each scrape. */
export type MeasuredStorage = Pick<Stores, 'writes' | 'kinds' | 'logs'>;

/** Adds metrics of writes, and of the write-ahead logs of SQLite. */
export function addStorageMetrics(
  registry: MetricsRegistry,
  { writes, kinds, logs }: MeasuredStorage,
): void {
  labelledGauge(
    registry,
    'petstore_writes_failing',
    'Whether the last write to the store failed, or has had no result for 10 s.',
    'store',
    () => writes.all().map(({ store, failure }) => [store, failure === undefined ? 0 : 1]),
  );
  labelledGauge(
    registry,
    'petstore_write_kind_failing',
    'Whether all writes of a kind, such as creations, have failed for 10 s.',
    'kind',
    () => kinds.all().map(([kind, isFailing]) => [kind, isFailing ? 1 : 0]),
  );
  labelledGauge(
    registry,
    'petstore_last_write_age_seconds',
    'Time since the outcome of the last write to the store.',
    'store',
    () => writes.all().flatMap(({ store, age }) => (age === undefined ? [] : [[store, age]])),
  );
  if (logs) addLogs(registry, logs);
}

function addLogs(registry: MetricsRegistry, logs: NonNullable<MeasuredStorage['logs']>): void {
  labelledGauge(
    registry,
    'petstore_write_ahead_log_bytes',
    'Size of the write-ahead log of a database file.',
    'store',
    () => logs.all().map(({ store, bytes }) => [store, bytes]),
  );
  labelledGauge(
    registry,
    'petstore_checkpoint_failing',
    'Whether the last checkpoint of a database file failed.',
    'store',
    () => logs.all().map(({ store, isFailing }) => [store, isFailing ? 1 : 0]),
  );
  labelledGauge(
    registry,
    'petstore_checkpoint_age_seconds',
    'Time since a checkpoint of a database file is due; 0 while none is.',
    'store',
    () => logs.all().map(({ store, age }) => [store, age]),
  );
}

/** @param read reads the values at each scrape, each with its label. */
export function labelledGauge(
  registry: MetricsRegistry,
  name: string,
  help: string,
  label: string,
  read: () => Awaitable<Array<readonly [string, number]>>,
): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      const values = await read();
      this.reset();
      for (const [labelled, value] of values) this.set({ [label]: labelled }, value);
    },
  });
}
