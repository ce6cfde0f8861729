import type { LoggedKey, LoggedRequest, SentReply } from '../../src/core/requests/request-log.ts';
import { RequestLogRecorder } from '../../src/jobs/request-log-recorder.ts';
import { SECOND } from '../../src/lib/clock.ts';
import { ManualClock } from './harness.ts';

const WINDOW = { limit: 60, remaining: 59, resetIn: SECOND };

function sent(key: LoggedKey, at: number, status: number): SentReply {
  return {
    at,
    requestId: 'id',
    key,
    method: 'GET',
    url: 'http://localhost/v1/pets',
    status,
    problem: undefined,
    took: 1,
    replyBytes: 2,
    address: '192.0.2.1',
    userAgent: null,
    simulation: undefined,
    isReplayed: false,
    limits: { outcome: 'admitted', ...WINDOW, minute: WINDOW, day: WINDOW },
    now: at,
    retryAfter: undefined,
  };
}

function keyOf(accountId: string): LoggedKey {
  return { id: `key of ${accountId}`, accountId, environment: 'production' };
}

/** A recorder with a store that uses this `add`. */
export function recorderScene(add: (requests: readonly LoggedRequest[]) => Promise<void>) {
  const clock = new ManualClock();
  const counts = { dropped: 0 };
  const keys = new Map<string, LoggedKey>();
  const trimmed: string[] = [];
  const none = async () => {};
  const recorder = new RequestLogRecorder({
    store: {
      ...{ add, page: () => [], find: () => [], forgetAccount: none, forgetEnvironments: none },
      ...{ prune: none, trim: async (id: string) => void trimmed.push(id) },
    },
    accounts: { find: async () => undefined },
    onDropped: (count) => {
      counts.dropped += count;
    },
  });
  /** Records replies to an account, with its only key of the environment or with a named one. */
  const record = (accountId: string, status = 200, { count = 1, of = {} }: Recorded = {}) => {
    const fresh = { ...keyOf(accountId), ...of };
    const name = `${fresh.id} ${fresh.environment}`;
    const key = keys.get(name) ?? fresh;
    keys.set(name, key);
    const { wall, elapsed } = clock.now();
    for (let done = 0; done < count; done += 1) {
      recorder.record(key, elapsed, status, () => sent(key, wall, status));
    }
  };
  const mayRecord = (accountId: string) =>
    recorder.mayRecord(keyOf(accountId), clock.now().elapsed);
  return { clock, recorder, record, mayRecord, counts, trimmed };
}

interface Recorded {
  readonly count?: number;
  /** Differences to the only key of the account in production. */
  readonly of?: Partial<LoggedKey>;
}

/** A recorder that saves into a list. */
export function savingScene() {
  const saved: LoggedRequest[] = [];
  const it = recorderScene(async (requests) => void saved.push(...requests));
  const save = async () => {
    await it.recorder.save();
    return saved.splice(0);
  };
  /** The numbers of saved requests with these statuses. */
  const saveAndCount = async (...statuses: number[]) => {
    const all = await save();
    return statuses.map((status) => all.filter((each) => each.status === status).length);
  };
  return { ...it, save, saveAndCount };
}
