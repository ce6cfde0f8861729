import { SECOND } from '../../lib/clock.ts';
import { gatewayReply } from '../error-reply.ts';
import {
  countOf,
  endedWithError,
  ending,
  FORWARD,
  failed,
  passed,
  requestsBy,
  taskFailure,
  warned,
} from '../judging.ts';
import type { ClientRun, Scenario } from '../scenario.ts';

/** The client creates one pet, although the reply to the creation was lost. */
export const repeatsLostCreation: Scenario = {
  name: 'repeats-a-lost-creation',
  title: 'repeats a creation whose reply was lost, without making two',
  standard: 'RFC 9110, 9.2.2; draft-ietf-httpapi-idempotency-key-header, 2',
  expected:
    'The animal is created, and the connection ends without a reply. The client sends the creation again with the same Idempotency-Key, prints the id, and one animal exists.',
  task: 'create-one',
  timeLimit: 20 * SECOND,
  treat: (_, { earlier }) => (earlier.length === 0 ? { delivery: 'lost' } : FORWARD),
  judge({ runs: [run], created }) {
    const seen = summary(run, created.length);
    if (created.length !== 1) return failed(seen);
    const keys = new Set(requestsBy(run, 'POST').map(({ idempotencyKey }) => idempotencyKey));
    if (keys.size > 1) return failed(`The Idempotency-Key changed. ${seen}`);
    const ids = created.map(({ id }) => id);
    const problem = taskFailure(run, ids);
    if (!problem) return passed(seen);
    return keys.has(undefined) && endedWithError(run)
      ? warned(`It sent no Idempotency-Key, and rightly did not repeat. ${seen}`)
      : failed(`${problem.seen} ${seen}`);
  },
};

/** The client does not repeat a creation that could be made twice. */
export const repeatsOnlyWithKey: Scenario = {
  name: 'repeats-only-with-a-key',
  title: 'does not repeat a creation without an Idempotency-Key',
  standard: 'RFC 9110, 9.2.2',
  expected:
    'The animal is created, and a proxy answers 504 in place of the reply. The client sends the creation again only with an Idempotency-Key, and one animal exists.',
  task: 'create-one',
  timeLimit: 20 * SECOND,
  treat: (_, { earlier }) =>
    earlier.length === 0 ? { edit: () => gatewayReply(504, 'Gateway Time-out') } : FORWARD,
  judge({ runs: [run], created }) {
    const seen = summary(run, created.length);
    const repeated = requestsBy(run, 'POST').slice(1);
    if (repeated.some(({ idempotencyKey }) => idempotencyKey === undefined)) {
      return failed(`It repeated the creation without a key. ${seen}`);
    }
    if (created.length !== 1) return failed(seen);
    if (repeated.length === 0 && run.exitCode === 0) {
      return failed(`It reported success without a reply of the service. ${seen}`);
    }
    return passed(seen);
  },
};

function summary(run: ClientRun, created: number): string {
  const creations = countOf(requestsBy(run, 'POST').length, 'creation');
  return `It sent ${creations}; ${countOf(created, 'animal')} created. ${ending(run)}`;
}
