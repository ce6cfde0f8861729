import { ApiError, messageOf } from '../core/errors.ts';
import type { ServiceLog } from '../http/service-options.ts';
import { type Clock, SECOND } from '../lib/clock.ts';
import type { JobReport } from '../lib/scheduler.ts';
import type { Log } from './log.ts';
import { publicPath } from './public-path.ts';

/** While the store is unavailable every request fails the same way: logs at most one line in this many ms. */
const UNAVAILABLE_INTERVAL = SECOND;

/** Logs the failures of background jobs, and their recovery. */
export function jobReport(log: Log): JobReport {
  return {
    failed: (job, error) => log.warn({ job, err: error }, 'background job failed'),
    recovered: (job) => log.info({ job }, 'background job works again'),
  };
}

/** Logs requests (at level `debug`) and failures, without headers, queries and bodies. */
export function serviceLog(log: Log, clock: Clock): ServiceLog {
  let lastUnavailable = Number.NEGATIVE_INFINITY;
  return {
    ...(log.isLevelEnabled('debug') && {
      request({ method, url }, requestId, status, took) {
        const rounded = Math.round(took * 1_000) / 1_000;
        const path = publicPath(url);
        log.debug({ requestId, method, path, status, took: rounded }, 'request');
      },
    }),
    failure(error, requestId) {
      if (!(error instanceof ApiError)) {
        log.error({ requestId, err: error }, 'request failed');
        return;
      }
      const { elapsed } = clock.now();
      if (elapsed - lastUnavailable < UNAVAILABLE_INTERVAL) return;
      lastUnavailable = elapsed;
      log.warn({ requestId, cause: messageOf(error.cause) }, error.message);
    },
  };
}
