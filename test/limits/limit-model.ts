import type { BanPolicy } from '../../src/core/limits/bans.ts';
import type { Limits } from '../../src/core/limits/plans.ts';
import { DAY, type Instant, MINUTE, SECOND } from '../../src/lib/clock.ts';

interface Windows {
  readonly minuteLeft: number;
  readonly minuteEndsIn: number;
  readonly dayLeft: number;
  readonly dayEndsIn: number;
}

/** The expected content of a reply. */
export interface Expected {
  readonly outcome: 'admitted' | 'limited' | 'banned';
  readonly limit: number;
  readonly remaining: number;
  readonly resetIn: number;
  readonly minute: number;
  readonly day: number;
}

/** The specified limits, computed each time from the list of all admitted requests. */
export class ModelAccount {
  readonly limits: Limits;
  readonly #admitted: { readonly at: number; readonly day: number }[] = [];

  constructor(limits: Limits) {
    this.limits = limits;
  }

  windows({ wall, elapsed }: Instant): Windows {
    let begin = Number.NEGATIVE_INFINITY;
    for (const { at } of this.#admitted) if (at >= begin + MINUTE) begin = at;
    if (elapsed >= begin + MINUTE) begin = elapsed;
    const inMinute = this.#admitted.filter(({ at }) => at >= begin).length;
    const day = this.#dayAt(wall);
    const inDay = this.#admitted.filter((each) => each.day === day).length;
    return {
      minuteLeft: this.limits.perMinute - inMinute,
      minuteEndsIn: begin + MINUTE - elapsed,
      dayLeft: this.limits.perDay - inDay,
      dayEndsIn: (day + 1) * DAY - wall,
    };
  }

  /** Whether the request is admitted; counts it if so. */
  take(now: Instant): boolean {
    const { minuteLeft, dayLeft } = this.windows(now);
    if (minuteLeft === 0 || dayLeft === 0) return false;
    this.#admitted.push({ at: now.elapsed, day: this.#dayAt(now.wall) });
    return true;
  }

  /** The day number, which never decreases. */
  #dayAt(wall: number): number {
    const latest = Math.max(...this.#admitted.map(({ day }) => day), 0);
    return Math.max(latest, Math.floor(wall / DAY));
  }
}

/** The specified bans, computed each time from the list of all refusals. */
export class ModelKey {
  readonly #account: ModelAccount;
  readonly #policy: BanPolicy;
  readonly #bans: { readonly begin: number; readonly end: number }[] = [];
  #refusals: { readonly at: number; readonly resetIn: number }[] = [];

  constructor(account: ModelAccount, policy: BanPolicy) {
    this.#account = account;
    this.#policy = policy;
  }

  request(now: Instant): Expected {
    if (this.#banEndsIn(now) > 0) return this.#say('banned', now);
    const taken = this.#account.take(now);
    if (taken) return this.#say('admitted', now);
    const refused = this.#say('limited', now);
    this.#refusals.push({ at: now.elapsed, resetIn: refused.resetIn });
    if (this.#strikes() < this.#policy.after) return refused;
    this.#bans.push({ begin: now.elapsed, end: now.elapsed + this.#nextLength(now) });
    this.#refusals = [];
    return this.#say('banned', now);
  }

  #banEndsIn({ elapsed }: Instant): number {
    return (this.#bans.at(-1)?.end ?? Number.NEGATIVE_INFINITY) - elapsed;
  }

  /** Refusals in the latest exhausted window, without the first one and those of its grace. */
  #strikes(): number {
    let first = { at: Number.NEGATIVE_INFINITY, resetIn: 0 };
    for (const refusal of this.#refusals) {
      const end = first.at + first.resetIn;
      // A clock that is set forward ends the day earlier, by more than the grace.
      const endsEarlier = refusal.at + refusal.resetIn < end - 2 * SECOND;
      if (refusal.at >= end || endsEarlier) first = refusal;
    }
    return this.#refusals.filter(({ at }) => at >= first.at + 2 * SECOND).length;
  }

  #nextLength({ elapsed }: Instant): number {
    let length = this.#policy.base;
    let begin = elapsed;
    for (const ban of this.#bans.toReversed()) {
      if (begin - ban.end >= DAY) break;
      length = Math.min(length * 2, this.#policy.maximum);
      begin = ban.begin;
    }
    return length;
  }

  #say(outcome: Expected['outcome'], now: Instant): Expected {
    const { minuteLeft, minuteEndsIn, dayLeft, dayEndsIn } = this.#account.windows(now);
    const { perMinute, perDay } = this.#account.limits;
    const minute = { limit: perMinute, remaining: minuteLeft, resetIn: minuteEndsIn };
    const day = { limit: perDay, remaining: dayLeft, resetIn: dayEndsIn };
    const exhausted = [minute, day].filter(({ remaining }) => remaining === 0);
    const refused = outcome !== 'admitted' && exhausted.length > 0;
    const [chosen = minute] = refused
      ? exhausted.sort((a, b) => b.resetIn - a.resetIn)
      : [minute, day].sort((a, b) => a.remaining - b.remaining);
    const said = { ...chosen, outcome, minute: minuteLeft, day: dayLeft };
    if (outcome !== 'banned') return said;
    const wait = Math.max(this.#banEndsIn(now), ...exhausted.map(({ resetIn }) => resetIn));
    return { ...said, remaining: 0, resetIn: wait };
  }
}
