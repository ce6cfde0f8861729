import type { Stores } from '../storage/stores.ts';
import type { MetricsRegistry } from './prometheus.ts';

/** The parts of the stores that the metrics read at each scrape. */
export type MeasuredStorage = Pick<Stores, 'writes' | 'kinds' | 'logs'>;

/** Adds metrics of writes, and of the write-ahead logs of SQLite. */
export function addStorageMetrics(
  registry: MetricsRegistry,
  { writes, kinds, logs }: MeasuredStorage,
): void {
  registry.labelledGauge(
    'petstore_writes_failing',
    'Whether the last write to the store failed, or has had no result for 10 s.',
    'store',
    () => writes.all().map(({ store, failure }) => [store, failure === undefined ? 0 : 1]),
  );
  registry.labelledGauge(
    'petstore_write_kind_failing',
    'Whether all writes of a kind, such as creations, have failed for 10 s.',
    'kind',
    () => kinds.all().map(([kind, isFailing]) => [kind, isFailing ? 1 : 0]),
  );
  registry.labelledGauge(
    'petstore_last_write_age_seconds',
    'Time since the outcome of the last write to the store.',
    'store',
    () => writes.all().flatMap(({ store, age }) => (age === undefined ? [] : [[store, age]])),
  );
  if (logs) addLogs(registry, logs);
}

function addLogs(registry: MetricsRegistry, logs: NonNullable<MeasuredStorage['logs']>): void {
  registry.labelledGauge(
    'petstore_write_ahead_log_bytes',
    'Size of the write-ahead log of a database file.',
    'store',
    () => logs.all().map(({ store, bytes }) => [store, bytes]),
  );
  registry.labelledGauge(
    'petstore_checkpoint_failing',
    'Whether the last checkpoint of a database file failed.',
    'store',
    () => logs.all().map(({ store, isFailing }) => [store, isFailing ? 1 : 0]),
  );
  registry.labelledGauge(
    'petstore_checkpoint_age_seconds',
    'Time since a checkpoint of a database file is due; 0 while none is.',
    'store',
    () => logs.all().map(({ store, age }) => [store, age]),
  );
}
