import { SECOND } from '../lib/clock.ts';
import type { Readiness } from '../lib/readiness.ts';
import type { BackgroundJobs } from '../lib/scheduler.ts';
import type { Log } from '../observability/log.ts';
import type { Stores } from '../storage/stores.ts';

/** How often write-ahead logs are looked at, in ms. */
const LOOK_EVERY = SECOND;

interface Dependencies {
  readonly stores: Pick<Stores, 'logs' | 'checkpoint'>;
  readonly jobs: BackgroundJobs;
  readonly readiness: Readiness;
  readonly log: Log;
}

/** Watches the checkpoints of a data folder's databases. Those that fail or are prevented are logged and shown by `/readyz`. */
export function watchCheckpoints({ stores, jobs, readiness, log }: Dependencies): void {
  const { logs } = stores;
  if (!logs) return;
  readiness.add('checkpoints', () => logs.problem());
  readiness.addNote(() => logs.warning());
  let isReported = false;
  jobs.every(LOOK_EVERY, 'look at write-ahead logs', () => {
    stores.checkpoint();
    const problem = logs.problem() ?? logs.warning();
    if (isReported === (problem !== undefined)) return;
    isReported = problem !== undefined;
    if (isReported) log.warn({ check: 'checkpoints', problem }, 'write-ahead logs grow');
    else log.info({ check: 'checkpoints' }, 'write-ahead logs are checkpointed again');
  });
}
