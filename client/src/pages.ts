import type { ListQuery } from './types.ts';

// A request counts once against the quota, regardless of the page size: use the largest pages.
const LARGEST_PAGE = 100;

/** Yields the items of every page, fetching each page after the items of the one before. */
export async function* walk<
  Status extends string,
  Page extends { readonly next: ListQuery<Status> | undefined },
  Item,
>(
  query: ListQuery<Status>,
  fetchPage: (query: ListQuery<Status>) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): AsyncGenerator<Item, void, undefined> {
  let next: ListQuery<Status> | undefined = { ...query, limit: query.limit ?? LARGEST_PAGE };
  while (next !== undefined) {
    const page: Page = await fetchPage(next);
    yield* itemsOf(page);
    next = page.next;
  }
}
