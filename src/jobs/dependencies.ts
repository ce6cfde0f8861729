import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Readiness } from '../lib/readiness.ts';
import type { BackgroundJobs } from '../lib/scheduler.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Stores } from '../storage/stores.ts';

/** The parts of a service that its background jobs use. */
export interface JobDependencies {
  readonly config: Config;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly jobs: BackgroundJobs;
  readonly readiness: Readiness;
}
