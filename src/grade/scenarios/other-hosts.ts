import { SECOND } from '../../lib/clock.ts';
import { countOf, ending, FORWARD, failed, passed } from '../judging.ts';
import type { Observation, Scenario } from '../scenario.ts';

/** The client does not send its key to another host that a link names. */
export const keepsKeyFromLinkedHost: Scenario = {
  name: 'keeps-its-key-from-a-linked-host',
  title: 'sends its key to no other host that Link names',
  standard: 'RFC 8288, 5; RFC 6750, 5.3',
  expected:
    'The Link of the first page leads to another host. No request with an Authorization header arrives there.',
  task: 'list-all',
  timeLimit: 20 * SECOND,
  treat: (_, { origin, otherOrigin }) => ({
    edit: (reply) => {
      const { link } = reply.headers;
      if (link === undefined) return reply;
      return { ...reply, headers: { ...reply.headers, link: link.replace(origin, otherOrigin) } };
    },
  }),
  judge: judgeByOtherHost,
};

/** The client does not send its key to another host that a redirect names. */
export const keepsKeyFromRedirectedHost: Scenario = {
  name: 'keeps-its-key-from-a-redirect',
  title: 'sends its key to no other host that a redirect names',
  standard: 'RFC 9110, 15.4; RFC 6750, 5.3',
  expected:
    'The first request is answered 307 with a Location on another host. No request with an Authorization header arrives there.',
  task: 'list-all',
  timeLimit: 20 * SECOND,
  treat: ({ path }, { earlier, otherOrigin }) =>
    earlier.length > 0
      ? FORWARD
      : { instead: { status: 307, headers: { location: `${otherOrigin}${path}` }, body: '' } },
  judge: judgeByOtherHost,
};

function judgeByOtherHost({ runs: [run] }: Observation) {
  if (run.requests.length === 0) return failed(`It sent no request. ${ending(run)}`);
  const there = run.requests.filter(({ host }) => host === 'other');
  const withKey = there.filter(({ authorized }) => authorized);
  const seen = `${countOf(there.length, 'request')} to the other host, ${withKey.length} with the key. ${ending(run)}`;
  return withKey.length === 0 ? passed(seen) : failed(seen);
}
