import { DAY, MINUTE } from '../lib/clock.ts';
import type { Limits } from './plans.ts';

/** What an account has set in the sandbox: it applies to its requests in staging alone. */
export interface Sandbox {
  /** How far the account's clock in staging is ahead of the service's, in ms; a multiple of 1,000. */
  readonly clockOffset: number;
  /** The simulation that the account's next requests meet; `accountSimulationFrom` reads it. */
  readonly simulation: string | undefined;
}

/** Everything as it would be without the sandbox. */
export const NO_SANDBOX: Sandbox = { clockOffset: 0, simulation: undefined };

/** The furthest that an account's clock may be ahead, in ms: ten years. */
export const MAX_CLOCK_OFFSET = 3_652 * DAY;

/** The longest ban that may be set, in seconds: a day. */
export const MAX_BAN_SECONDS = 86_400;

const PER_MINUTE = 600;

/** Requests of an account to the sandbox itself; they do not count towards its plan. */
export const SANDBOX_LIMITS: Limits = Object.freeze({
  perMinute: PER_MINUTE,
  // Never the tighter one.
  perDay: PER_MINUTE * (DAY / MINUTE),
});
