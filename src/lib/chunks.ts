/** Rows per write: small enough that creating a pet never waits long for it. */
export const CHUNK = 500;

/** Rows that SQLite writes in one statement, if it can write several. */
export const ROWS_PER_STATEMENT = 100;

/** Splits items into chunks of at most `size`, in the same order. */
export function chunks<Item>(items: readonly Item[], size = CHUNK): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
