import { type Clock, type Instant, SECOND, systemClock } from '../lib/clock.ts';

/** A clock that goes on from where it is set. */
export class AdjustableClock implements Clock {
  readonly #clock: Clock;
  #wallOffset = 0;
  #elapsedOffset = 0;

  /** @param clock that it follows. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): Instant {
    const { wall, elapsed } = this.#clock.now();
    return { wall: wall + this.#wallOffset, elapsed: elapsed + this.#elapsedOffset };
  }

  /** Sets the date and time (epoch ms); no time passes by it. */
  set(wall: number): void {
    this.#wallOffset += wall - this.now().wall;
  }

  /** Lets time pass, in ms: at least 0. */
  advance(milliseconds: number): void {
    this.#wallOffset += milliseconds;
    this.#elapsedOffset += milliseconds;
  }
}

/** What a fixture says of the clock. */
interface FixtureClock {
  /** Its time at the start, in ISO 8601. */
  readonly now?: string;
  readonly advanceSeconds?: number;
}

/** The clock that a fixture asks for; the machine's where it asks for none. */
export function clockFrom(fixture: FixtureClock | undefined): AdjustableClock {
  const clock = new AdjustableClock(systemClock);
  setFrom(clock, fixture);
  return clock;
}

/** Sets a clock to the time that a fixture begins with. */
export function setFrom(
  clock: AdjustableClock,
  { now, advanceSeconds = 0 }: FixtureClock = {},
): void {
  const start = now === undefined ? systemClock.now().wall : Date.parse(now);
  clock.set(start + advanceSeconds * SECOND);
}
