import { SECOND } from '../../lib/clock.ts';
import { errorReply } from '../error-reply.ts';
import {
  endedWithError,
  ending,
  FORWARD,
  failed,
  passed,
  taskFailure,
  warned,
} from '../judging.ts';
import type { Scenario } from '../scenario.ts';

/** The client reports which request failed. */
export const reportsRequestId: Scenario = {
  name: 'reports-the-request-id',
  title: 'reports X-Request-Id when it fails',
  standard: 'The X-Request-Id of the service',
  expected:
    'The creation is answered 500. The client ends with an error, and what it prints has the X-Request-Id of a reply.',
  task: 'create-one',
  timeLimit: 25 * SECOND,
  treat: (_, { now }) => ({ instead: errorReply('internal_error', now) }),
  judge({ runs: [run] }) {
    if (run.requests.length === 0 || !endedWithError(run)) return failed(ending(run));
    const id = run.requests
      .map(({ reply }) => reply?.requestId)
      .find((each) => each !== undefined && `${run.stderr}${run.stdout}`.includes(each));
    return id === undefined
      ? failed('What it printed has no request id.')
      : passed(`It printed the request id ${id}.`);
  },
};

/** The client warns people that an operation will be removed. */
export const warnsOfDeprecation: Scenario = {
  name: 'warns-of-deprecation',
  title: 'warns on standard error that an operation is deprecated',
  standard: 'RFC 9745, 2; RFC 8594, 3',
  expected:
    'The reply has Deprecation and Sunset. The task is done, and standard error mentions the deprecation.',
  task: 'get-one',
  timeLimit: 20 * SECOND,
  treat: () => FORWARD,
  judge({ runs: [run], listed }) {
    const problem = taskFailure(run, listed.slice(0, 1));
    if (problem) return problem;
    return /deprecat|sunset/i.test(run.stderr)
      ? passed('Standard error mentions it.')
      : warned('Standard error does not mention it.');
  },
};
