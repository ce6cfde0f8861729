/** Entries by key, at most so many: one more pushes out the one that came first. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #capacity: number;
  /**
   * Goes on from one push to the next: a new iterator would walk over all that was pushed out before.
   * Dropped as soon as there is room, since it holds on to what the map has outgrown.
   */
  #entries: MapIterator<[Key, Value]> | undefined;

  constructor(capacity: number) {
    super();
    this.#capacity = capacity;
  }

  /** Sets the value; gives the entry that had to go. */
  put(key: Key, value: Value): [Key, Value] | undefined {
    const isNew = !this.has(key);
    const pushedOut = isNew && this.size >= this.#capacity ? this.#pushOut() : undefined;
    if (isNew && !pushedOut) this.#entries = undefined;
    this.set(key, value);
    return pushedOut;
  }

  deleteWhere(isOver: (value: Value) => boolean): void {
    for (const [key, value] of this) if (isOver(value)) this.delete(key);
  }

  #pushOut(): [Key, Value] | undefined {
    this.#entries ??= this.entries();
    const { done, value } = this.#entries.next();
    if (done) return undefined;
    this.delete(value[0]);
    return value;
  }
}
