import { expect } from 'bun:test';
import type { BanRecord } from '../../src/core/limits/ban-records.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { SECOND } from '../../src/lib/clock.ts';
import { ManualClock, type NewAccount, TestService } from './harness.ts';
import { type Answer, askTimes } from './limit-readings.ts';

/** One request a minute: the second one is refused. */
export const ONE = subscribe('enterprise', { perMinute: 1, perDay: 1_000_000 });

/** A service, its clock, and a key that is easily banned. */
export interface BanScene extends NewAccount, AsyncDisposable {
  readonly service: TestService;
  readonly clock: ManualClock;
}

export async function banScene(
  settings: Readonly<Record<string, string>> = {},
  clock = new ManualClock(),
): Promise<BanScene> {
  const service = await TestService.start({ settings, clock });
  const account = await service.account(ONE);
  return {
    ...account,
    service,
    clock,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** Uses up the minute, waits until strikes count, and sends refused requests until the key is banned. */
export async function provokeBan(
  { service, clock, secret }: Pick<BanScene, 'service' | 'clock' | 'secret'>,
  after: number,
): Promise<Answer> {
  await askTimes(service, 2, secret);
  clock.advance(2 * SECOND);
  const answers = await askTimes(service, after, secret);
  const last = answers.at(-1);
  expect(answers.map(({ code }) => code)).toEqual([
    ...Array(after - 1).fill('rate_limited'),
    'api_key_banned',
  ]);
  if (!last) throw new Error('A ban needs refusals.');
  return last;
}

/** Provokes bans one after the other, each with one refused request; returns their lengths in seconds. */
export async function banLengths(scene: BanScene, count: number): Promise<number[]> {
  const seconds: number[] = [];
  for (let ban = 0; ban < count; ban += 1) {
    const { retryAfter = Number.NaN } = await provokeBan(scene, 1);
    seconds.push(retryAfter);
    scene.clock.advance(retryAfter * SECOND);
  }
  return seconds;
}

/** Stores the bans; returns the one in force. */
export async function recordedBan({ service, clock }: BanScene): Promise<BanRecord> {
  await service.runJobs('record production bans');
  const [ban] = await service.stores.bans.active(clock.now().wall);
  if (!ban) throw new Error('No ban is on record.');
  return ban;
}
