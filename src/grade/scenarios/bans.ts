import { SECOND } from '../../lib/clock.ts';
import { errorReply } from '../error-reply.ts';
import { countOf, ending, FORWARD, failed, passed, taskFailure, warned } from '../judging.ts';
import type { Scenario, SeenRequest, Situation } from '../scenario.ts';

const COUNT = 12;
/** Requests that the minute admits. */
const ROOM = 3;
/** How long requests are refused, in seconds. */
const WINDOW = 2;
/** Refused requests after a first 429 that lead to a ban, as in the service. */
const BAN_AFTER = 10;
/** Length of the ban, in seconds. */
const BAN = 300;
/** Requests within this time after the first refusal count as already sent, in ms. */
const IN_FLIGHT = 100;

const LIMITS = 'RFC 6585, 4; RFC 9110, 10.2.3; the limits of the service';

/** The client stops at a 429, so that no ban follows. */
export const keepsClearOfBan: Scenario = {
  name: 'keeps-clear-of-a-ban',
  title: 'does not hammer into a ban',
  standard: LIMITS,
  expected: `Room for ${ROOM} of ${COUNT} creations; then 429 with Retry-After for ${WINDOW} s. No further request comes before that, and all ${COUNT} animals are created. ${BAN_AFTER} further refused requests ban the key.`,
  task: 'create-many',
  variables: { PETSTORE_COUNT: String(COUNT) },
  timeLimit: 25 * SECOND,
  treat(_, situation) {
    const refusal = firstRefusal(situation.earlier);
    const strikes = strikesOf(situation.earlier).length;
    if (strikes >= BAN_AFTER) return banned(situation);
    const endsAt = (refusal?.at ?? situation.at) + WINDOW * SECOND;
    const isRefused =
      refusal === undefined ? situation.earlier.length >= ROOM : situation.at < endsAt;
    if (!isRefused) return FORWARD;
    const left = Math.max(1, Math.ceil((endsAt - situation.at) / SECOND));
    return { instead: errorReply('rate_limited', situation.now, left) };
  },
  judge({ runs: [run], created }) {
    const strikes = strikesOf(run.requests).length;
    const seen = `${countOf(strikes, 'request')} came while requests were refused; ${countOf(created.length, 'animal')} created.`;
    if (strikes >= BAN_AFTER) return failed(`It was banned. ${seen}`);
    const ids = created.map(({ id }) => id);
    const problem = taskFailure(run, ids);
    if (problem) return failed(`${problem.seen} ${seen}`);
    if (created.length !== COUNT) return failed(seen);
    return strikes === 0 ? passed(seen) : warned(seen);
  },
};

/** The client sends nothing during a ban. */
export const acceptsBan: Scenario = {
  name: 'accepts-a-ban',
  title: 'sends nothing more when its key is banned',
  standard: LIMITS,
  expected: `The first request is answered 429 api_key_banned with Retry-After: ${BAN}. No other follows within 4 s: the client waits or ends with an error.`,
  task: 'list-all',
  timeLimit: 4 * SECOND,
  treat: (_, situation) => banned(situation),
  judge({ runs: [run] }) {
    const seen = `It sent ${countOf(run.requests.length, 'request')}. ${ending(run)}`;
    return run.requests.length === 1 && run.exitCode !== 0 ? passed(seen) : failed(seen);
  },
};

function banned({ now }: Situation) {
  return { instead: errorReply('api_key_banned', now, BAN) };
}

function firstRefusal(requests: readonly SeenRequest[]): SeenRequest['reply'] {
  return requests.find(({ reply }) => reply?.status === 429)?.reply;
}

/** Refused requests, except those already in flight when the first refusal was sent. */
function strikesOf(requests: readonly SeenRequest[]): readonly SeenRequest[] {
  const refusal = firstRefusal(requests);
  if (refusal === undefined) return [];
  return requests.filter(({ at, reply }) => reply?.status === 429 && at > refusal.at + IN_FLIGHT);
}
