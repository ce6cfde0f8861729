import { DAY, MINUTE } from '../../lib/clock.ts';
import type { Limits } from '../limits/plans.ts';

/** The sandbox settings of an account; they apply only to its requests in staging. */
export interface Sandbox {
  /** How far the account's clock in staging is ahead of the service's, in ms; a multiple of 1,000. */
  readonly clockOffset: number;
  /** The simulation for the account's next requests; parsed by `accountSimulationFrom`. */
  readonly simulation: string | undefined;
}

/** The settings of an account that does not use the sandbox. */
export const NO_SANDBOX: Sandbox = { clockOffset: 0, simulation: undefined };

/** How far an account's clock may be ahead at most, in ms: ten years. */
export const MAX_CLOCK_OFFSET = 3_652 * DAY;

/** The longest ban that may be set, in seconds: a day. */
export const MAX_BAN_SECONDS = 86_400;

const PER_MINUTE = 600;

/** Limits on requests to the sandbox API itself, which do not count towards the plan. */
export const SANDBOX_LIMITS: Limits = Object.freeze({
  perMinute: PER_MINUTE,
  // Never tighter than the limit per minute.
  perDay: PER_MINUTE * (DAY / MINUTE),
});
