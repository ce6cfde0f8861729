import { SECOND } from '../../lib/clock.ts';
import { errorReply } from '../error-reply.ts';
import { countOf, endedWithError, ending, failed, passed } from '../judging.ts';
import type { Scenario } from '../scenario.ts';

const MOST_REQUESTS = 10;

/** The client ends after a bounded number of requests. */
export const givesUp: Scenario = {
  name: 'gives-up',
  title: 'gives up after a bounded number of requests',
  standard: 'RFC 9110, 15.6.4',
  expected: `Every request is answered 503 with Retry-After: 1. The client ends with an error after at most ${MOST_REQUESTS} requests.`,
  task: 'list-all',
  timeLimit: 25 * SECOND,
  treat: (_, { now }) => ({ instead: errorReply('unavailable', now, 1) }),
  judge({ runs: [run] }) {
    const seen = `It sent ${countOf(run.requests.length, 'request')}. ${ending(run)}`;
    const isBounded = run.requests.length > 0 && run.requests.length <= MOST_REQUESTS;
    return isBounded && endedWithError(run) ? passed(seen) : failed(seen);
  },
};
