import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import type { MessagePage } from '../../shared/api.ts';
import { call } from '../api.ts';
import { queryOf } from '../common/address.ts';
import { basePath } from '../page-settings.ts';

/** Messages whose text contains this one, or all of them, the newest first, page by page. */
export function useMessages(text: string, isPaused: boolean) {
  const client = useQueryClient();
  const queryKey = ['messages', text];
  const messages = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) =>
      call<MessagePage>('GET', `/messages${queryOf({ text, before: pageParam })}`),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    enabled: !isPaused,
    // The current list stays until the next search has a result.
    placeholderData: (before) => before,
  });
  /** Drops the older pages, because each of them would be reloaded whenever there is a new message. */
  const forgetOlder = () => {
    client.setQueryData<InfiniteData<MessagePage, string>>(queryKey, (data) => {
      return data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) };
    });
  };
  return { ...messages, forgetOlder };
}

/** The address of a file with the messages. */
export function csvAddress(text: string): string {
  return `${basePath}/api/messages${queryOf({ text, format: 'csv' })}`;
}
