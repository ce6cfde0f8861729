import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { MessagePage } from '../../shared/api.ts';
import { call } from '../api.ts';
import { queryOf } from '../common/address.ts';
import { useOlderPages } from '../common/older-pages.ts';
import { basePath } from '../page-settings.ts';

/** Messages whose text contains this one, or all of them, the newest first, page by page. */
export function useMessages(text: string, isPaused: boolean) {
  const queryKey = ['messages', text];
  const messages = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) =>
      call<MessagePage>('GET', `/messages${queryOf({ text, before: pageParam })}`),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    enabled: ({ state }) => !isPaused || state.data === undefined,
    // The current list stays until the next search has a result.
    placeholderData: (before) => before,
  });
  return { ...messages, older: useOlderPages(queryKey, messages) };
}

/** One message, however old it is. @param id empty for none. */
export function useMessage(id: string) {
  return useQuery({
    queryKey: ['messages', 'one', id],
    queryFn: () => call<MessagePage>('GET', `/messages${queryOf({ id })}`),
    enabled: id !== '',
  });
}

/** The address of a file with the messages. */
export function csvAddress(text: string): string {
  return `${basePath}/api/messages${queryOf({ text, format: 'csv' })}`;
}
