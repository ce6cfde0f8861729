/** Rows written in one change, so that no creation waits long behind it. */
export const CHUNK = 500;

/** The items in the same order, so many at a time. */
export function chunks<Item>(items: readonly Item[], size = CHUNK): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
