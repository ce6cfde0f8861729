import { type Clock, type Instant, SECOND, systemClock } from '../lib/clock.ts';

/** A clock that can be set, and then continues from that time. */
export class AdjustableClock implements Clock {
  readonly #clock: Clock;
  #wallOffset = 0;
  #elapsedOffset = 0;

  /** @param clock the clock that it follows. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): Instant {
    const { wall, elapsed } = this.#clock.now();
    return { wall: wall + this.#wallOffset, elapsed: elapsed + this.#elapsedOffset };
  }

  /** Sets the date and time (epoch ms, rounded up); the elapsed time does not change. */
  set(wall: number): void {
    this.#wallOffset += Math.ceil(wall) - this.now().wall;
  }

  /** Advances the clock by a number of ms: at least 0, rounded up, because times are stored in whole ms. */
  advance(milliseconds: number): void {
    const whole = Math.ceil(milliseconds);
    this.#wallOffset += whole;
    this.#elapsedOffset += whole;
  }
}

/** The clock settings of a fixture. */
interface FixtureClock {
  /** The time at the start, in ISO 8601. */
  readonly now?: string;
  readonly advanceSeconds?: number;
}

/** The clock of a fixture; by default the machine's time. */
export function clockFrom(fixture: FixtureClock | undefined): AdjustableClock {
  const clock = new AdjustableClock(systemClock);
  setFrom(clock, fixture);
  return clock;
}

/** Sets a clock to the start time of a fixture. */
export function setFrom(
  clock: AdjustableClock,
  { now, advanceSeconds = 0 }: FixtureClock = {},
): void {
  const start = now === undefined ? systemClock.now().wall : Date.parse(now);
  clock.set(start + advanceSeconds * SECOND);
}
