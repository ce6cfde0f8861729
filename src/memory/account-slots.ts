/** The names of accounts as callers: 16 bytes, in hexadecimal digits, after this. */
const PREFIX = 'account:acct_';
const FORM = /^account:acct_[\da-f]{32}$/;

const BYTES = 16;
/** 32-bit words of an id. */
const WORDS = 4;
const FIRST_CAPACITY = 1_024;
/** Share of the places beyond which the table grows. */
const FULL = 0.7;

/** What a place holds instead of a slot (which is kept as slot + 1). */
const EMPTY = 0;
const DELETED = -1;

/**
 * Slots by account, as a `Map` by name would have them in three times the memory: a hash table in
 * two blocks, where an id takes the 16 bytes that its digits stand for, and no object. At a million
 * accounts that, and not the quotas themselves, is what memory goes to.
 *
 * Names that are not of the form that accounts have are kept in a map beside it.
 */
export class AccountSlots {
  #ids = new Uint32Array(WORDS * FIRST_CAPACITY);
  #slots = new Int32Array(FIRST_CAPACITY);
  /** Places that are not empty, those of deleted ids included. */
  #taken = 0;
  #live = 0;
  readonly #others = new Map<string, number>();
  /** The id that is being looked for. */
  readonly #wantedBytes = Buffer.alloc(BYTES);
  readonly #wanted = new Uint32Array(this.#wantedBytes.buffer, 0, WORDS);

  get(caller: string): number | undefined {
    if (!this.#read(caller)) return this.#others.get(caller);
    const kept = this.#slots[this.#find()] ?? EMPTY;
    return kept === EMPTY ? undefined : kept - 1;
  }

  /** Adds a caller that is not there yet. */
  put(caller: string, slot: number): undefined {
    if (!this.#read(caller)) {
      this.#others.set(caller, slot);
      return;
    }
    if (this.#taken >= this.#slots.length * FULL) this.#rebuild();
    this.#place(slot + 1);
  }

  delete(caller: string): void {
    if (!this.#read(caller)) {
      this.#others.delete(caller);
      return;
    }
    const place = this.#find();
    if (this.#slots[place] === EMPTY) return;
    this.#slots[place] = DELETED;
    this.#live -= 1;
  }

  /** Callers may be deleted meanwhile, not added. */
  *[Symbol.iterator](): Generator<[caller: string, slot: number]> {
    for (const [place, kept] of this.#slots.entries()) {
      if (kept > EMPTY) yield [this.#nameAt(place), kept - 1];
    }
    yield* this.#others;
  }

  /** Reads the id into `#wanted`; `false` when the name has another form. */
  #read(caller: string): boolean {
    if (!FORM.test(caller)) return false;
    // One call of the runtime each: at a start this is done for every account, by code that is cold.
    this.#wantedBytes.write(caller.slice(PREFIX.length), 'hex');
    return true;
  }

  /** The place of the id in `#wanted`, or the empty one where the search for it ends. */
  #find(): number {
    const last = this.#slots.length - 1;
    // An id ends in 62 random bits.
    let place = (this.#wanted[WORDS - 1] ?? 0) & last;
    while (this.#slots[place] !== EMPTY && !this.#isAt(place)) place = (place + 1) & last;
    return place;
  }

  #isAt(place: number): boolean {
    if (this.#slots[place] === DELETED) return false;
    const ids = this.#ids;
    const wanted = this.#wanted;
    const first = place * WORDS;
    return (
      ids[first + 3] === wanted[3] &&
      ids[first + 2] === wanted[2] &&
      ids[first + 1] === wanted[1] &&
      ids[first] === wanted[0]
    );
  }

  #place(kept: number): void {
    const place = this.#find();
    this.#ids.set(this.#wanted, place * WORDS);
    this.#slots[place] = kept;
    this.#taken += 1;
    this.#live += 1;
  }

  /** With room for twice as many, and without what was deleted. */
  #rebuild(): void {
    const [ids, slots] = [this.#ids, this.#slots];
    const wanted = this.#wanted.slice();
    let capacity = FIRST_CAPACITY;
    while (capacity * FULL < this.#live * 2) capacity *= 2;
    this.#ids = new Uint32Array(WORDS * capacity);
    this.#slots = new Int32Array(capacity);
    this.#taken = 0;
    this.#live = 0;
    for (let place = 0; place < slots.length; place += 1) {
      const kept = slots[place] ?? EMPTY;
      if (kept <= EMPTY) continue;
      const first = place * WORDS;
      for (let word = 0; word < WORDS; word += 1) this.#wanted[word] = ids[first + word] ?? 0;
      this.#place(kept);
    }
    this.#wanted.set(wanted);
  }

  #nameAt(place: number): string {
    return PREFIX + Buffer.from(this.#ids.buffer, place * BYTES, BYTES).toString('hex');
  }
}
