import type { Awaitable } from '../../lib/awaitable.ts';

interface Store<Item> {
  findAll(ids: readonly string[]): Awaitable<readonly Item[]>;
}

/** Stored items by their ids, found in one query. Ids may repeat; unknown ones are left out. */
export async function byId<Item extends { readonly id: string }>(
  store: Store<Item>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Item>> {
  const found = await store.findAll([...new Set(ids)]);
  return new Map(found.map((item) => [item.id, item]));
}
