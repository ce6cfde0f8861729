import { ENVIRONMENTS, type Environment } from '../core/environments.ts';
import type { AdjustableLimiter } from '../core/limits/adjustable-limiter.ts';
import { resetEnvironments } from '../core/pets/environment-resets.ts';
import { type AdjustableClock, setFrom } from './adjustable-clock.ts';
import type { Fixture } from './fixture.ts';
import {
  addBans,
  addMessages,
  addPets,
  BY,
  type Destination,
  idOf,
  type Loaded,
} from './load-fixture.ts';

interface RunningDestination extends Destination {
  readonly clock: AdjustableClock;
  readonly limiters: ReadonlyMap<Environment, AdjustableLimiter>;
}

/**
 * Resets a running service to its fixture; accounts and keys stay.
 * @param loaded the accounts and keys that were made from the fixture at the start.
 */
export async function resetToFixture(
  fixture: Fixture,
  loaded: Loaded,
  into: RunningDestination,
): Promise<void> {
  await empty(into);
  setFrom(into.clock, fixture.clock);
  await Promise.all([
    addPets(fixture, into),
    addMessages(fixture, into, loaded),
    restoreBans(fixture, into, loaded),
    restoreUsage(fixture, into, loaded),
  ]);
}

async function empty({ stores, clock, limiters }: RunningDestination): Promise<void> {
  // A ban that is not stored yet would be stored after the reset.
  await Promise.all([...limiters.values()].map((limiter) => limiter.recordBans()));
  await resetEnvironments(stores, ENVIRONMENTS, BY, clock.now().wall);
}

async function restoreBans(
  fixture: Fixture,
  into: RunningDestination,
  loaded: Loaded,
): Promise<void> {
  const bans = await addBans(fixture, into, loaded);
  const now = into.clock.now();
  await Promise.all(bans.map((ban) => into.limiters.get(ban.environment)?.restore([ban], now)));
}

async function restoreUsage(
  { usage = [] }: Fixture,
  { clock, limiters }: RunningDestination,
  { accountIds }: Loaded,
): Promise<void> {
  const restored = usage.map(async (used) => {
    const { account, environment = 'production', minuteUsed = 0, dayUsed = 0 } = used;
    const id = idOf(accountIds, account);
    const windows = { minute: minuteUsed, day: dayUsed };
    await limiters.get(environment)?.setUsed({ id, clockOffset: 0 }, windows, clock.now());
  });
  await Promise.all(restored);
}
