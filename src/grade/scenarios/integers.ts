import { SECOND } from '../../lib/clock.ts';
import { ending, FORWARD, failed, passed, taskFailure } from '../judging.ts';
import type { Scenario } from '../scenario.ts';

/** 2^53 + 1: the smallest positive integer that a double cannot hold. */
const BIG = 2n ** 53n + 1n;

const STANDARD = 'RFC 8259, 6; the type int64 of the OpenAPI document';

/** The client reads integers exactly. */
export const readsInt64: Scenario = {
  name: 'reads-int64',
  title: 'keeps 2^53 + 1 when it reads it',
  standard: STANDARD,
  expected: `The first id of the list is ${BIG}. The client prints it to the last digit.`,
  task: 'list-all',
  timeLimit: 20 * SECOND,
  treat: () => ({
    edit: (reply) => ({ ...reply, body: reply.body.replace(/^\[\{"id":1,/, `[{"id":${BIG},`) }),
  }),
  judge({ runs: [run], listed }) {
    const expected = [BIG, ...listed.slice(1)];
    return taskFailure(run, expected) ?? passed(`It printed ${BIG}.`);
  },
};

/** The client writes integers exactly. */
export const writesInt64: Scenario = {
  name: 'writes-int64',
  title: 'keeps 2^53 + 1 when it writes it',
  standard: STANDARD,
  expected: `PETSTORE_CATEGORY_ID is ${BIG}. The animal is created with this categoryId, to the last digit.`,
  task: 'create-one',
  variables: { PETSTORE_CATEGORY_ID: String(BIG) },
  timeLimit: 20 * SECOND,
  treat: () => FORWARD,
  judge({ runs: [run], created }) {
    const [pet, ...others] = created;
    if (!pet || others.length > 0)
      return failed(`${created.length} animals created. ${ending(run)}`);
    if (pet.categoryId !== BIG) return failed(`The categoryId became ${pet.categoryId}.`);
    return taskFailure(run, [pet.id]) ?? passed(`The categoryId is ${pet.categoryId}.`);
  },
};
