import { SECOND } from '../../lib/clock.ts';
import {
  countOf,
  endedWithError,
  ending,
  FORWARD,
  failed,
  passed,
  taskFailure,
} from '../judging.ts';
import type { Scenario } from '../scenario.ts';

/** The client reads a body that arrives slowly. */
export const readsTricklingReply: Scenario = {
  name: 'reads-a-trickling-reply',
  title: 'reads a reply that arrives bit by bit',
  standard: 'RFC 9112, 6.3',
  expected:
    'The body of the first reply takes 3 s to arrive. The task is done, with one request for it.',
  task: 'list-all',
  timeLimit: 20 * SECOND,
  treat: (_, { earlier }) => (earlier.length === 0 ? { delivery: 'trickling' } : FORWARD),
  judge({ runs: [run], listed }) {
    const problem = taskFailure(run, listed);
    if (problem) return problem;
    const first = run.requests[0]?.path;
    const times = run.requests.filter(({ path }) => path === first).length;
    const seen = `It asked for the first page ${countOf(times, 'time')}.`;
    return times === 1 ? passed(seen) : failed(seen);
  },
};

const MOST_REQUESTS = 10;

/** The client recognises a truncated body. */
export const endsAtTruncatedReply: Scenario = {
  name: 'ends-at-a-truncated-reply',
  title: 'ends with an error where every reply is truncated',
  standard: 'RFC 9112, 8',
  expected: `Every connection ends after half of the body. The client ends with an error, after at most ${MOST_REQUESTS} requests.`,
  task: 'list-all',
  timeLimit: 20 * SECOND,
  treat: () => ({ delivery: 'truncated' }),
  judge({ runs: [run] }) {
    const { length } = run.requests;
    const seen = `It sent ${countOf(length, 'request')}. ${ending(run)}`;
    return length > 0 && length <= MOST_REQUESTS && endedWithError(run)
      ? passed(seen)
      : failed(seen);
  },
};
