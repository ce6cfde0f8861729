import type { Listener } from '../http/connection/listener.ts';
import {
  areDescriptorsUsedUp,
  DescriptorReserve,
  descriptorLimit,
  openDescriptors,
} from '../lib/descriptors.ts';
import type { JobDependencies } from './dependencies.ts';

/** How often to check whether descriptors are left, in ms. */
const INSPECT_EVERY = 100;

/** A descriptor limit below this is logged at the start. */
const AMPLE = 4_096;

/** Descriptors reserved for the ops port, files and the log while new connections are refused. */
const RESERVE = 32;
/** Descriptors count as used up when fewer than this are left. */
const MARGIN = 4;

const PROBLEM =
  'file descriptors are used up, and new connections are refused until some are closed';

/**
 * Refuses new connections while file descriptors are used up, and reports it. Otherwise the runtime would spend
 * half a core trying to accept them, and no other file could be opened either. Requests on open connections are
 * still answered, and the ops port uses a reserve.
 * @param pages the dashboard. Its streams must be ended, or the pause would wait for them.
 * @returns a disposable that closes the reserve.
 */
export function watchDescriptors(
  listener: Pick<Listener, 'pause' | 'resume'>,
  pages: { endStreams(isLast: boolean): void } | undefined,
  { jobs, readiness, log }: JobDependencies,
): Disposable {
  const limit = descriptorLimit();
  if (limit === undefined) return { [Symbol.dispose]() {} };
  if (limit < AMPLE) {
    const message = `fewer than ${AMPLE} file descriptors: raise the limit (ulimit -n, LimitNOFILE)`;
    log.warn({ limit }, message);
  }
  const reserve = new DescriptorReserve(reserveSize(limit));
  let isPaused = false;
  readiness.add('descriptors', () => (isPaused ? PROBLEM : undefined));
  jobs.every(INSPECT_EVERY, 'look for file descriptors', async () => {
    if (!isPaused && areDescriptorsUsedUp(limit, MARGIN)) {
      isPaused = true;
      log.warn({ limit }, PROBLEM);
      pages?.endStreams(false);
      await listener.pause();
      reserve.release();
    } else if (isPaused && hasRoom(limit)) {
      reserve.acquire();
      listener.resume();
      isPaused = false;
      log.info('new connections are accepted again');
    }
  });
  return { [Symbol.dispose]: () => reserve.release() };
}

/** Whether a quarter of the descriptors, in addition to the reserve, is free and can be opened. */
function hasRoom(limit: number): boolean {
  const wanted = limit / 4 + reserveSize(limit);
  return (openDescriptors() ?? limit) < limit - wanted && !areDescriptorsUsedUp(limit, MARGIN);
}

function reserveSize(limit: number): number {
  return Math.min(RESERVE, Math.floor(limit / 8));
}
