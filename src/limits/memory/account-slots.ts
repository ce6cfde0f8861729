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
 * Slots by account, as a `Map` by name would have them in five times the memory: a hash table in
 * two blocks, where an id takes the 16 bytes that its digits stand for, and no object. A slot has one
 * account; they are numbered from 0, without wide gaps.
 *
 * Names that are not of the form that accounts have are kept in a map beside it.
 */
export class AccountSlots {
  /** The id that has each slot. */
  #ids = new Uint32Array(WORDS * FIRST_CAPACITY);
  /** The slot at each place of the table. */
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
    this.#keepId(slot);
    this.#slots[this.#find()] = slot + 1;
    this.#taken += 1;
    this.#live += 1;
  }

  /** Deletes the callers of these slots. */
  deleteWhere(isOver: (slot: number) => boolean): void {
    // By hand: the entries of an iterator would take three times as long, in which nobody is answered.
    for (let place = 0; place < this.#slots.length; place += 1) {
      const kept = this.#slots[place] ?? EMPTY;
      if (kept <= EMPTY || !isOver(kept - 1)) continue;
      this.#slots[place] = DELETED;
      this.#live -= 1;
    }
    for (const [caller, slot] of this.#others) if (isOver(slot)) this.#others.delete(caller);
  }

  /** Reads the id into `#wanted`; `false` when the name has another form. */
  #read(caller: string): boolean {
    if (!FORM.test(caller)) return false;
    // One call of the runtime each, at every request.
    this.#wantedBytes.write(caller.slice(PREFIX.length), 'hex');
    return true;
  }

  /** The place of the id in `#wanted`, or the empty one where the search for it ends. */
  #find(): number {
    const last = this.#slots.length - 1;
    let place = hash(this.#wanted, 0) & last;
    for (;;) {
      const kept = this.#slots[place] ?? EMPTY;
      if (kept === EMPTY || (kept !== DELETED && this.#has(kept - 1))) return place;
      place = (place + 1) & last;
    }
  }

  /** Whether the slot is that of the id in `#wanted`. */
  #has(slot: number): boolean {
    const ids = this.#ids;
    const wanted = this.#wanted;
    const first = slot * WORDS;
    return (
      ids[first + 3] === wanted[3] &&
      ids[first + 2] === wanted[2] &&
      ids[first + 1] === wanted[1] &&
      ids[first] === wanted[0]
    );
  }

  #keepId(slot: number): void {
    const first = slot * WORDS;
    if (first >= this.#ids.length) {
      const larger = new Uint32Array(Math.max(this.#ids.length * 2, first + WORDS));
      larger.set(this.#ids);
      this.#ids = larger;
    }
    this.#ids.set(this.#wanted, first);
  }

  /** With room for twice as many, and without what was deleted. */
  #rebuild(): void {
    let capacity = FIRST_CAPACITY;
    while (capacity * FULL < this.#live * 2) capacity *= 2;
    const slots = new Int32Array(capacity);
    for (const kept of this.#slots) {
      if (kept <= EMPTY) continue;
      let place = hash(this.#ids, kept - 1) & (capacity - 1);
      while (slots[place] !== EMPTY) place = (place + 1) & (capacity - 1);
      slots[place] = kept;
    }
    this.#slots = slots;
    this.#taken = this.#live;
  }
}

/** Of the id at this index: it ends in 62 random bits. */
function hash(ids: Uint32Array, index: number): number {
  return ids[index * WORDS + WORDS - 1] ?? 0;
}
