import { SECOND } from '../../lib/clock.ts';
import { countOf, failed, passed, requestsBy, taskFailure, warned } from '../judging.ts';
import type { PlainReply, Scenario } from '../scenario.ts';

/** The page size in links: one that no client chooses itself. */
const LINKED_LIMIT = 'limit=93';

/** The client reads a list of several pages. */
export const followsLinks: Scenario = {
  name: 'follows-links',
  title: 'follows Link to the end, and asks for nothing twice',
  standard: 'RFC 8288, 3',
  expected: `The list has several pages; the Link of each leads to one with ${LINKED_LIMIT}. The client asks for each once, stops where no Link with rel="next" comes, and prints every id in its order.`,
  task: 'list-all',
  timeLimit: 20 * SECOND,
  treat: () => ({ edit: withLinkedLimit }),
  judge({ runs: [run], listed }) {
    const problem = taskFailure(run, listed);
    if (problem) return problem;
    const requests = requestsBy(run, 'GET');
    const paths = requests.map(({ path }) => path);
    const twice = paths.find((path, index) => paths.indexOf(path) !== index);
    if (twice !== undefined) return failed(`It asked for ${twice} twice.`);
    const unlinked = paths.slice(1).find((path) => !path.includes(LINKED_LIMIT));
    if (unlinked !== undefined) return warned(`It asked for ${unlinked}, where no Link led.`);
    const end = requests.findIndex(({ reply }) => reply?.hasNext === false);
    const beyond = requests.length - 1 - end;
    if (beyond > 0) return warned(`It asked for ${countOf(beyond, 'page')} beyond the last one.`);
    return passed(`It asked for ${countOf(requests.length, 'page')}, each once.`);
  },
};

function withLinkedLimit(reply: PlainReply): PlainReply {
  const { link } = reply.headers;
  if (link === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, link: link.replace(/limit=\d+/, LINKED_LIMIT) } };
}
