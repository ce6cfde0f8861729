/** One point in time, in both readings of the service's clock. */
export interface Instant {
  /** Milliseconds since the Unix epoch, UTC. For dates; an operator or NTP may change it abruptly. */
  readonly wall: number;
  /** Milliseconds on a monotonic scale. For durations. */
  readonly elapsed: number;
}

/** The instant `by` ms later. */
export function later({ wall, elapsed }: Instant, by: number): Instant {
  return { wall: wall + by, elapsed: elapsed + by };
}

/** The clock of the service; tests pass their own. */
export interface Clock {
  now(): Instant;
}

/** Resolution of `elapsed`, in steps per ms: a power of two, so that adding and subtracting is exact. */
const RESOLUTION = 1_024;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => ({
    wall: Date.now(),
    elapsed: Math.floor(performance.now() * RESOLUTION) / RESOLUTION,
  }),
};

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
