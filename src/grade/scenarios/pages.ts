import { SECOND } from '../../lib/clock.ts';
import { countOf, FORWARD, failed, passed, requestsBy, taskFailure, warned } from '../judging.ts';
import type { Scenario } from '../scenario.ts';

/** Reads a list of several pages. */
export const followsLinks: Scenario = {
  name: 'follows-links',
  title: 'follows Link to the end, and asks for nothing twice',
  standard: 'RFC 8288, 3',
  expected:
    'The list has several pages. The client asks for each once, stops where no Link with rel="next" comes, and prints every id in its order.',
  task: 'list-all',
  timeLimit: 20 * SECOND,
  treat: () => FORWARD,
  judge({ runs: [run], listed }) {
    const problem = taskFailure(run, listed);
    if (problem) return problem;
    const requests = requestsBy(run, 'GET');
    const paths = requests.map(({ path }) => path);
    const twice = paths.find((path, index) => paths.indexOf(path) !== index);
    if (twice !== undefined) return failed(`It asked for ${twice} twice.`);
    const end = requests.findIndex(({ reply }) => reply?.hasNext === false);
    const beyond = requests.length - 1 - end;
    if (beyond > 0) return warned(`It asked for ${countOf(beyond, 'page')} beyond the last one.`);
    return passed(`It asked for ${countOf(requests.length, 'page')}, each once.`);
  },
};
