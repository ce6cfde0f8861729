/** Rows written in one change, so that no creation waits long behind it. */
const CHUNK = 500;

/** The items in the same order, so many at a time. */
export function chunks<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, index) =>
    items.slice(index * CHUNK, (index + 1) * CHUNK),
  );
}
