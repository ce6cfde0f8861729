import type { ErrorCode } from '../../core/errors.ts';
import { SECOND } from '../../lib/clock.ts';
import { errorReply } from '../error-reply.ts';
import {
  FORWARD,
  failed,
  isLongEnough,
  passed,
  pausesOf,
  seconds,
  taskFailure,
} from '../judging.ts';
import type { Scenario } from '../scenario.ts';

/** In seconds. Longer than the usual first pause of a client that ignores Retry-After. */
const RETRY_AFTER = 2;

function waits(status: 429 | 503, code: ErrorCode): Scenario {
  return {
    name: `waits-after-${status}`,
    title: `waits as long as Retry-After says after a ${status}`,
    standard: 'RFC 9110, 10.2.3',
    expected: `The first request is answered ${status} with Retry-After: ${RETRY_AFTER}. It is sent again no sooner than after ${RETRY_AFTER} s, and the task is done.`,
    task: 'list-all',
    timeLimit: 20 * SECOND,
    treat: (_, { now, earlier }) =>
      earlier.length === 0 ? { instead: errorReply(code, now, RETRY_AFTER) } : FORWARD,
    judge({ runs: [run], listed }) {
      const [pause] = pausesOf(run.requests);
      if (pause && !isLongEnough(pause)) {
        return failed(`The next request came ${seconds(pause.length)} after the ${status}.`);
      }
      const problem = taskFailure(run, listed);
      if (problem || !pause) return problem ?? failed('It did not send the request again.');
      return passed(`The next request came ${seconds(pause.length)} after the ${status}.`);
    },
  };
}

export const waitsAfter429 = waits(429, 'rate_limited');
export const waitsAfter503 = waits(503, 'unavailable');
