/** One moment, told by both hands of the service's clock. */
export interface Instant {
  /** Milliseconds since the Unix epoch, UTC. Names dates; an operator or NTP may step it. */
  readonly wall: number;
  /** Milliseconds on a scale that never steps. Measures durations. */
  readonly elapsed: number;
}

/** Where every part of the service gets the time; tests drive their own. */
export interface Clock {
  now(): Instant;
}

/** Steps of the elapsed scale per ms. Binary fractions, so that adding and subtracting is exact. */
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
