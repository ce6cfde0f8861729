import { SECOND } from '../../lib/clock.ts';
import { errorReply } from '../error-reply.ts';
import {
  countOf,
  endedWithError,
  ending,
  failed,
  passed,
  taskFailure,
  warned,
} from '../judging.ts';
import type { Scenario } from '../scenario.ts';

/** The client accepts fields that were added after it was written. */
export const survivesUnknownFields: Scenario = {
  name: 'survives-unknown-fields',
  title: 'survives fields that it does not know',
  standard: 'RFC 9413, 4; a 1.x release may add fields',
  expected: 'Every animal of the list has fields that no release has yet. The task is done.',
  task: 'list-all',
  timeLimit: 20 * SECOND,
  treat: () => ({
    edit: (reply) => ({
      ...reply,
      headers: { ...reply.headers, 'petstore-added': 'later' },
      body: reply.body.replaceAll('{"id"', '{"addedLater":{"list":[null,1.5]},"id"'),
    }),
  }),
  judge: ({ runs: [run], listed }) =>
    taskFailure(run, listed) ?? passed('It printed every id of the list.'),
};

const UNKNOWN_CODE = 'category_closed';
const MESSAGE = 'This category takes no more animals. Choose another one.';

/** The client handles an error with an unknown code by its status. */
export const survivesUnknownCode: Scenario = {
  name: 'survives-an-unknown-code',
  title: 'survives an error code that it does not know',
  standard: 'RFC 9110, 15; a 1.x release may add codes',
  expected: `The creation is answered 400 with the code ${UNKNOWN_CODE}. The client does not repeat it, and ends with an error that has the code or the message.`,
  task: 'create-one',
  timeLimit: 20 * SECOND,
  treat: (_, { now }) => ({
    instead: {
      ...errorReply('invalid_body', now),
      body: JSON.stringify({ code: UNKNOWN_CODE, message: MESSAGE, status: 400 }),
    },
  }),
  judge({ runs: [run] }) {
    const seen = `It sent ${countOf(run.requests.length, 'request')}. ${ending(run)}`;
    if (run.requests.length !== 1 || !endedWithError(run)) return failed(seen);
    const hasReported = [UNKNOWN_CODE, MESSAGE].some((text) =>
      `${run.stderr}${run.stdout}`.includes(text),
    );
    return hasReported ? passed(seen) : warned(`The error has neither code nor message. ${seen}`);
  },
};
