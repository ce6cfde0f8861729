import { SECOND } from '../../lib/clock.ts';
import { gatewayReply } from '../error-reply.ts';
import { failed, passed, pausesOf, seconds, warned } from '../judging.ts';
import type { Scenario } from '../scenario.ts';

/** Enough clients to show that random pauses grow and differ. */
const CLIENTS = 8;

/** The mean of the last pauses, or the longest of them, exceeds that of the first ones by this factor. */
const GROWTH = 1.2;

/** Shorter pauses do not count as pauses, in ms. */
const NO_PAUSE = 100;

/** Pauses have no jitter if they differ by less than this part of their length, or by less than this many ms. */
const NO_JITTER = 0.03;
const NO_JITTER_TIME = 25;

/** The client waits increasingly long if replies do not say how long to wait. */
export const backsOff: Scenario = {
  name: 'backs-off',
  title: 'backs off with growing pauses and jitter where no Retry-After says how long to wait',
  standard: 'RFC 9110, 9.2.2; the error documentation of the service: exponential backoff',
  expected: `${CLIENTS} clients at once are answered 502 without Retry-After. Their last pauses are longer than their first ones, and not all alike.`,
  task: 'list-all',
  clients: CLIENTS,
  timeLimit: 25 * SECOND,
  treat: () => ({ instead: gatewayReply(502, 'Bad Gateway') }),
  judge({ runs }) {
    const all = runs.map(({ requests }) => pausesOf(requests).map(({ length }) => length));
    if (runs.every(({ requests }) => requests.length === 0)) return failed('It sent no request.');
    const pauses = all.filter(({ length }) => length >= 2);
    if (pauses.length < runs.length) {
      return warned('It sent fewer than three requests, so that nothing can be said about growth.');
    }
    const firsts = pauses.map((each) => each[0] ?? 0);
    const first = mean(firsts);
    const lasts = pauses.map((each) => each.at(-1) ?? 0);
    const last = mean(lasts);
    const seen = `The first pauses were ${seconds(first)} on average, the last ones ${seconds(last)}.`;
    if (last < NO_PAUSE) return failed(`It sent the request again at once. ${seen}`);
    // With full jitter, most of the last pauses are short now and then.
    const isLonger = Math.max(...lasts) >= Math.max(...firsts) * GROWTH;
    if (last < first * GROWTH && !isLonger) return failed(`The pauses do not grow. ${seen}`);
    const spread = Math.max(...lasts) - Math.min(...lasts);
    if (spread < Math.max(NO_JITTER_TIME, last * NO_JITTER)) {
      return warned(
        `All clients paused for the same time: without jitter they all retry at the same moment. ${seen}`,
      );
    }
    return passed(seen);
  },
};

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
