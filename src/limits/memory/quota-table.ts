import type { QuotaState } from '../../core/quota.ts';

/** Numbers of one caller: end and use of the minute, day and its use. */
const WIDTH = 4;
const FIRST_CAPACITY = 1_024;

/** Which slot each caller has. */
interface Slots {
  get(caller: string): number | undefined;
  /** Adds a caller; gives the one that had to go for it. */
  put(caller: string, slot: number): [caller: string, slot: number] | undefined;
  /** Deletes the callers of these slots. */
  deleteWhere(isOver: (slot: number) => boolean): void;
}

/**
 * Quotas by caller. They are kept as numbers in one block of memory: objects that live long and are
 * replaced at every request are what a garbage collector is worst at.
 */
export class QuotaTable {
  readonly #slots: Slots;
  readonly #free: number[] = [];
  #numbers = new Float64Array(WIDTH * FIRST_CAPACITY);
  #used = 0;

  /** @param slots empty; bounded, if the table is to be. */
  constructor(slots: Slots) {
    this.#slots = slots;
  }

  get(caller: string): QuotaState | undefined {
    const slot = this.#slots.get(caller);
    return slot === undefined ? undefined : this.read(slot);
  }

  /** Gives the caller that had to be forgotten for it. */
  set(caller: string, quota: QuotaState): string | undefined {
    const known = this.#slots.get(caller);
    const slot = known ?? this.#free.pop() ?? this.#extend();
    this.write(slot, quota);
    if (known !== undefined) return undefined;
    const [forgotten, freed] = this.#slots.put(caller, slot) ?? [];
    if (freed !== undefined) this.#free.push(freed);
    return forgotten;
  }

  /** Deletes these quotas, without a name for any: making a million would take a second. */
  deleteWhere(isOver: (quota: QuotaState) => boolean): void {
    this.#slots.deleteWhere((slot) => {
      if (!isOver(this.read(slot))) return false;
      this.#free.push(slot);
      return true;
    });
  }

  /** Where the caller's quota is until it is deleted or forgotten, so that it is looked up once. */
  slotOf(caller: string): number | undefined {
    return this.#slots.get(caller);
  }

  read(slot: number): QuotaState {
    const first = slot * WIDTH;
    return {
      minuteEndsAt: this.#numbers[first] ?? 0,
      minuteUsed: this.#numbers[first + 1] ?? 0,
      day: this.#numbers[first + 2] ?? 0,
      dayUsed: this.#numbers[first + 3] ?? 0,
    };
  }

  write(slot: number, { minuteEndsAt, minuteUsed, day, dayUsed }: QuotaState): void {
    const first = slot * WIDTH;
    this.#numbers[first] = minuteEndsAt;
    this.#numbers[first + 1] = minuteUsed;
    this.#numbers[first + 2] = day;
    this.#numbers[first + 3] = dayUsed;
  }

  #extend(): number {
    const slot = this.#used;
    this.#used += 1;
    if (this.#used * WIDTH > this.#numbers.length) {
      const larger = new Float64Array(this.#numbers.length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    return slot;
  }
}
