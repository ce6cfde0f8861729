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

/** The clock that a fixture asks for; the machine's where it asks for none. */
export function clockFrom({
  now,
  advanceSeconds = 0,
}: {
  /** Its time at the start, in ISO 8601. */
  readonly now?: string;
  readonly advanceSeconds?: number;
} = {}): AdjustableClock {
  const clock = new AdjustableClock(systemClock);
  if (now !== undefined) clock.set(Date.parse(now));
  clock.advance(advanceSeconds * SECOND);
  return clock;
}
