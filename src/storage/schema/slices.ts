/** Pause between two slices, in ms, in which other requests are handled. */
const PAUSE = 1;

/** A part of the rows of a query, in the order of a key. */
export interface Slice<Key> {
  /** Exclusive; `undefined` at the start of the rows. */
  readonly after: Key | undefined;
  /** Inclusive; `undefined` for all that is left. */
  readonly last: Key | undefined;
}

/**
 * The slices of a query that may read many rows, one after the other. A read of a file holds the thread, so other
 * requests are handled between two slices.
 * @param after where the rows start.
 * @param endAfter the last key of the slice that begins after this key; `undefined` if few rows are left.
 */
export async function* inSlices<Key>(
  after: Key | undefined,
  endAfter: (after: Key | undefined) => Promise<Key | undefined>,
): AsyncGenerator<Slice<Key>> {
  for (let start = after; ; ) {
    const last = await endAfter(start);
    yield { after: start, last };
    if (last === undefined) return;
    start = last;
    await Bun.sleep(PAUSE);
  }
}
