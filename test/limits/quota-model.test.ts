import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { admit, type KeyStrikes } from '../../src/core/limits/admission.ts';
import type { BanPolicy } from '../../src/core/limits/bans.ts';
import { type Limits, subscribe } from '../../src/core/limits/plans.ts';
import { unusedQuota } from '../../src/core/limits/quota.ts';
import { HOUR, type Instant, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { ModelAccount, ModelKey } from './limit-model.ts';

const POLICY: BanPolicy = { after: 3, base: 300 * SECOND, maximum: 2_000 * SECOND };
const LENIENT = { PETSTORE_BAN_AFTER: '1000000' };
/** Half an hour before midnight, so that runs and clock steps cross midnight in both directions. */
const START = Date.UTC(2027, 0, 2, 23, 30);

const limits = fc.record({
  perMinute: fc.integer({ min: 1, max: 6 }),
  perDay: fc.integer({ min: 1, max: 25 }),
});
const pause = fc.oneof(
  fc.integer({ min: 0, max: 3 * SECOND }),
  fc.constantFrom(1, 2 * SECOND, MINUTE - 1, MINUTE, MINUTE + 1),
  fc.integer({ min: 0, max: 10 * MINUTE }),
  fc.integer({ min: HOUR, max: 30 * HOUR }),
);
const move = fc.oneof(
  { weight: 3, arbitrary: fc.record({ pass: pause }) },
  { weight: 1, arbitrary: fc.record({ skew: fc.integer({ min: -HOUR, max: HOUR }) }) },
);
const asking = fc.record({ key: fc.nat(2), times: fc.integer({ min: 1, max: 12 }) });
const script = fc.array(
  fc.oneof({ weight: 1, arbitrary: move }, { weight: 2, arbitrary: asking }),
  {
    minLength: 10,
    maxLength: 80,
  },
);

type Step = { pass: number } | { skew: number } | { key: number; times: number };

/** A clock that a script moves, at most an hour away from the true time. */
class ScriptedClock {
  #elapsed = 5_000_000;
  #skew = 0;

  now(): Instant {
    return { wall: START + this.#elapsed + this.#skew, elapsed: this.#elapsed };
  }

  follow(step: Step): void {
    if ('pass' in step) this.#elapsed += step.pass;
    if ('skew' in step) this.#skew = step.skew;
  }
}

/** Two keys of one account and one of another, used through `admit`. */
class Admissions {
  readonly #quotas = [unusedQuota(), unusedQuota()];
  readonly #keys: readonly KeyStrikes[] = [0, 1, 2].map(() => ({ strikes: undefined }));

  admit(key: number, now: Instant, allowed: Limits) {
    const quota = this.#quotas[accountOf(key)] ?? unusedQuota();
    const result = admit(quota, this.#keys[key], allowed, POLICY, now, 1);
    const later = { wall: now.wall + result.resetIn, elapsed: now.elapsed + result.resetIn };
    const waited = admit(
      { ...quota },
      { strikes: this.#keys[key]?.strikes },
      allowed,
      POLICY,
      later,
      1,
    );
    return { result, afterWait: waited.outcome };
  }
}

function accountOf(key: number): number {
  return key === 2 ? 1 : 0;
}

function keyOf(keys: readonly ModelKey[], index: number): ModelKey {
  const key = keys[index];
  if (!key) throw new Error(`There is no key ${index}.`);
  return key;
}

function playPure(allowed: Limits, steps: readonly Step[]): void {
  const clock = new ScriptedClock();
  const real = new Admissions();
  const accounts = [new ModelAccount(allowed), new ModelAccount(allowed)] as const;
  const [one, other] = accounts;
  const keys = [new ModelKey(one, POLICY), new ModelKey(one, POLICY), new ModelKey(other, POLICY)];
  for (const step of steps) {
    clock.follow(step);
    if (!('key' in step)) continue;
    for (let sent = 0; sent < step.times; sent += 1) {
      const now = clock.now();
      const { result, afterWait } = real.admit(step.key, now, allowed);
      const { minute, day, startedBan: _, ...said } = result;
      const seen = { ...said, minute: minute.remaining, day: day.remaining };
      expect(seen).toEqual(keyOf(keys, step.key).request(now));
      expect(result.resetIn).toBeGreaterThan(0);
      if (result.outcome !== 'admitted') expect(afterWait).toBe('admitted');
    }
  }
}

describe('admission', () => {
  test('agrees with a naive model, whatever the clock does, and a wait is always enough', () => {
    fc.assert(
      fc.property(limits, script, (allowed, steps) => playPure(allowed, steps)),
      { numRuns: 500 },
    );
  });

  test('looking takes nothing', () => {
    fc.assert(
      fc.property(limits, script, (allowed, steps) => {
        const clock = new ScriptedClock();
        const quota = unusedQuota();
        const key: KeyStrikes = { strikes: undefined };
        for (const step of steps) {
          clock.follow(step);
          if (!('key' in step)) continue;
          const before = structuredClone({ quota, key });
          const looked = admit(quota, key, allowed, POLICY, clock.now(), 0);
          expect({ quota, key }).toEqual(before);
          expect(looked.startedBan).toBeUndefined();
          admit(quota, key, allowed, POLICY, clock.now(), 1);
        }
      }),
    );
  });
});

const bursts = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: fc.record({ pass: pause }) },
    {
      weight: 3,
      arbitrary: fc.record({ burst: fc.array(fc.nat(3), { minLength: 1, maxLength: 24 }) }),
    },
  ),
  { minLength: 3, maxLength: 10 },
);

describe('the running service, with requests at the same time', () => {
  test('admits neither more nor less than the model: accounts, keys and both windows', async () => {
    const clock = new ManualClock(START);
    await using service = await TestService.start({ clock, settings: LENIENT });
    await fc.assert(
      fc.asyncProperty(limits, bursts, async (allowed, steps) => {
        const secrets = await fourKeys(service, allowed);
        const accounts = [new ModelAccount(allowed), new ModelAccount(allowed)];
        for (const step of steps) {
          if ('pass' in step) {
            clock.advance(step.pass);
            continue;
          }
          const expected = expectedOf(accounts, step.burst, clock.now());
          expect(await sendAtOnce(service, secrets, step.burst)).toEqual(expected);
        }
      }),
      { numRuns: 40 },
    );
  });
});

/** The number of requests of each account that the model admits. */
function expectedOf(accounts: readonly ModelAccount[], keys: readonly number[], now: Instant) {
  return accounts.map(
    (account, index) => keys.filter((key) => key % 2 === index && account.take(now)).length,
  );
}

/** Two keys of each of two new accounts, alternating. */
async function fourKeys(service: TestService, allowed: Limits): Promise<string[]> {
  const subscription = subscribe('enterprise', allowed);
  const made = [await service.account(subscription), await service.account(subscription)];
  const more = await Promise.all(
    made.map(({ account }) =>
      service.stores.apiKeyService.issue(
        account,
        { environment: 'production', name: 'second' },
        'test',
      ),
    ),
  );
  return [...made.map(({ secret }) => secret), ...more.map(({ text }) => text)];
}

/** Sends one request with each key at the same time; returns the number of admitted ones per account. */
async function sendAtOnce(
  service: TestService,
  secrets: readonly string[],
  keys: readonly number[],
): Promise<number[]> {
  const statuses = await Promise.all(
    keys.map(async (key) => {
      const { status } = await service.request('/pets', { key: secrets[key] ?? '' });
      return { account: key % 2, status };
    }),
  );
  expect(statuses.every(({ status }) => status === 200 || status === 429)).toBe(true);
  return [0, 1].map(
    (account) => statuses.filter((each) => each.account === account && each.status === 200).length,
  );
}
