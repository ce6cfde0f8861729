import { type InfiniteData, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { OLDER_PAGES, useAddress } from './address.ts';

/** The parts of an infinite query, of which each page is loaded after the one before. */
interface PagedList<Page> {
  readonly data: InfiniteData<Page> | undefined;
  readonly error: unknown;
  readonly hasNextPage: boolean;
  readonly isFetching: boolean;
  readonly isPlaceholderData: boolean;
  fetchNextPage(): Promise<unknown>;
}

interface OlderPages<Page> {
  /** As many pages as the address asks for, once they are loaded. */
  readonly pages: readonly Page[];
  readonly hasOlder: boolean;
  /** Whether a page that the address asks for is missing. */
  readonly isLoading: boolean;
  showOlder(): void;
}

/** How many pages of a list the address asks for, beside the first one. */
export function olderPagesIn(parameters: URLSearchParams): number {
  const text = parameters.get(OLDER_PAGES) ?? '';
  return /^\d{1,4}$/.test(text) ? Number(text) : 0;
}

/**
 * The older pages of a list that grows at its end. Their number is part of the page's address, so that a reload shows
 * them again, and Back takes the last one away.
 */
export function useOlderPages<Page>(queryKey: QueryKey, list: PagedList<Page>): OlderPages<Page> {
  const client = useQueryClient();
  const { parameters, change } = useAddress();
  const wanted = 1 + olderPagesIn(parameters);
  const loaded = list.isPlaceholderData ? 0 : (list.data?.pages.length ?? 0);
  const isMissing = loaded > 0 && loaded < wanted && list.hasNextPage && list.error === null;
  const isSpare = loaded > wanted;
  const isDue = isMissing && !list.isFetching;
  const load = useEffectEvent(() => void list.fetchNextPage());
  // Otherwise each of them would be loaded again whenever there is something new.
  const drop = useEffectEvent(() =>
    client.setQueryData<InfiniteData<Page>>(
      queryKey,
      (data) =>
        data && {
          pages: data.pages.slice(0, wanted),
          pageParams: data.pageParams.slice(0, wanted),
        },
    ),
  );
  useEffect(() => {
    if (isDue) load();
  }, [isDue]);
  useEffect(() => {
    if (isSpare) drop();
  }, [isSpare]);
  return {
    pages: list.data?.pages.slice(0, wanted) ?? [],
    hasOlder: list.hasNextPage,
    isLoading: isMissing,
    showOlder() {
      // The last attempt failed.
      if (loaded > 0 && loaded < wanted) void list.fetchNextPage();
      else change({ [OLDER_PAGES]: String(wanted) });
    },
  };
}
