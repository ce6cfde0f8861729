import { lazy } from '../lib/lazy.ts';
import type { Metrics } from './metrics.ts';

type Recorder = Pick<
  Metrics,
  | ('banned' | 'committed' | 'notCommitted' | 'databaseReplied' | 'databaseFailed')
  | ('redisReplied' | 'redisFailed' | 'redisAway')
>;

/**
 * Takes measurements before the library that keeps them is loaded, which takes as long as the whole
 * start of the service does without; gives them to it once it is there.
 */
export class LateMetrics implements Recorder {
  /** Loads the library at the first call. */
  readonly get: () => Promise<Metrics>;
  #metrics: Metrics | undefined;
  #early: Array<(metrics: Metrics) => void> = [];

  constructor(load: () => Promise<Metrics>) {
    this.get = lazy(async () => {
      const metrics = await load();
      this.#metrics = metrics;
      for (const record of this.#early) record(metrics);
      this.#early = [];
      return metrics;
    });
  }

  banned(...measured: Parameters<Recorder['banned']>): void {
    this.#tell((metrics) => metrics.banned(...measured));
  }

  committed(...measured: Parameters<Recorder['committed']>): void {
    this.#tell((metrics) => metrics.committed(...measured));
  }

  notCommitted(...measured: Parameters<Recorder['notCommitted']>): void {
    this.#tell((metrics) => metrics.notCommitted(...measured));
  }

  databaseReplied(...measured: Parameters<Recorder['databaseReplied']>): void {
    this.#tell((metrics) => metrics.databaseReplied(...measured));
  }

  databaseFailed(...measured: Parameters<Recorder['databaseFailed']>): void {
    this.#tell((metrics) => metrics.databaseFailed(...measured));
  }

  redisReplied(...measured: Parameters<Recorder['redisReplied']>): void {
    this.#tell((metrics) => metrics.redisReplied(...measured));
  }

  redisFailed(...measured: Parameters<Recorder['redisFailed']>): void {
    this.#tell((metrics) => metrics.redisFailed(...measured));
  }

  redisAway(...measured: Parameters<Recorder['redisAway']>): void {
    this.#tell((metrics) => metrics.redisAway(...measured));
  }

  #tell(record: (metrics: Metrics) => void): void {
    if (this.#metrics) record(this.#metrics);
    else this.#early.push(record);
  }
}
