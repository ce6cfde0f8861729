import { SECOND } from '../../lib/clock.ts';
import { errorReply } from '../error-reply.ts';
import {
  countOf,
  endedWithError,
  ending,
  FORWARD,
  failed,
  passed,
  requestsBy,
  skipped,
  taskFailure,
  warned,
} from '../judging.ts';
import type { ClientRun, Judgement, Scenario, SeenRequest } from '../scenario.ts';

/** A tag that the animal does not have: as if somebody changed it after the client read it. */
const STALE_TAG = '"changed-by-somebody-else"';

const TASK = {
  task: 'update-one',
  stability: 'beta',
  variables: { PETSTORE_PET_ID: '2' },
  timeLimit: 20 * SECOND,
} as const;

/** The client reads the state again before it decides on a change anew. */
export const readsAgainAfter412: Scenario = {
  ...TASK,
  name: 'reads-again-after-a-412',
  title: 'reads the animal again when somebody else has changed it',
  standard: 'RFC 9110, 13.1.1 and 15.5.13',
  expected:
    'The ETag that the client reads is no longer current when it sends its change, which is answered 412. The client reads the animal again, and sends the change with the new tag. The task is done.',
  treat(request, { earlier }) {
    if (changesIn([...earlier, request]).length > 0) return FORWARD;
    return {
      edit: (reply) => {
        const { etag, ...others } = reply.headers;
        return etag === undefined ? reply : { ...reply, headers: { ...others, etag: STALE_TAG } };
      },
    };
  },
  judge({ runs: [run], listed }) {
    const changes = requestsBy(run, 'PATCH');
    const [first, second] = changes;
    if (!first) return withoutChange(run);
    if (first.ifMatch === undefined) {
      return failed('It sent the change without If-Match, which would overwrite any other change.');
    }
    if (!second) {
      const seen = `It did not send the change again. ${ending(run)}`;
      return endedWithError(run) ? warned(seen) : failed(seen);
    }
    if (!readBetween(run, first, second)) {
      return failed('It sent the change again without reading the animal.');
    }
    const problem = taskFailure(run, listed.slice(1, 2));
    if (problem) return problem;
    const seen = `It sent the change ${countOf(changes.length, 'time')}, and read in between.`;
    return second.reply?.status === 200 ? passed(seen) : failed(seen);
  },
};

/** The client does not repeat a change that waiting does not make possible. */
export const doesNotRepeatConflict: Scenario = {
  ...TASK,
  name: 'does-not-repeat-a-conflict',
  title: 'does not repeat a change that conflicts with the state of the animal',
  standard: 'RFC 9110, 15.5.10 and 10.2.3',
  expected:
    'The change is answered 409 pet_reserved without Retry-After. The client does not send it again, and ends with an error.',
  treat: ({ method }, { now }) =>
    method === 'PATCH' ? { instead: errorReply('pet_reserved', now) } : FORWARD,
  judge({ runs: [run] }) {
    const { length } = requestsBy(run, 'PATCH');
    if (length === 0) return withoutChange(run);
    const seen = `It sent the change ${countOf(length, 'time')}. ${ending(run)}`;
    return length === 1 && endedWithError(run) ? passed(seen) : failed(seen);
  },
};

/** The task is newer than release 1.0.0: clients from before end without doing it, or do another one. */
function withoutChange(run: ClientRun): Judgement {
  return skipped(`It sent no PATCH: it does not know the task. ${ending(run)}`);
}

function changesIn(requests: readonly SeenRequest[]): readonly SeenRequest[] {
  return requests.filter(({ method }) => method === 'PATCH');
}

/** Whether the client got a reply with the animal after the first change, and before the second one. */
function readBetween({ requests }: ClientRun, first: SeenRequest, second: SeenRequest): boolean {
  const between = requests.slice(requests.indexOf(first) + 1, requests.indexOf(second));
  return between.some(({ method, reply }) => method === 'GET' && reply?.status === 200);
}
