import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { FoundRequest, RequestPage } from '../../shared/requests.ts';
import { call } from '../api.ts';
import { useOlderPages } from '../common/older-pages.ts';
import { basePath } from '../page-settings.ts';

/** The filters in the page's address; the dashboard's API uses the same names. */
const FILTERS = ['id', 'environment', 'key', 'status', 'code', 'path', 'from', 'to'] as const;
export type FilterName = (typeof FILTERS)[number];

/** Clears all filters. */
export const NO_FILTERS: Readonly<Record<string, string>> = Object.fromEntries(
  FILTERS.map((name) => [name, '']),
);

/**
 * Interval of loading another account's requests, in ms, because the live channel does not cover
 * them.
 */
const LOAD_EVERY = 2_000;

/** The filters of an address, without those that are not set. */
export function filtersIn(parameters: URLSearchParams): URLSearchParams {
  const set = FILTERS.flatMap((name) => {
    const value = parameters.get(name)?.trim() ?? '';
    return value === '' ? [] : [[name, value]];
  });
  return new URLSearchParams(set);
}

/** @param account for operators; `null` for the user's own requests. */
function pathOf(account: string | null): string {
  return account === null
    ? '/requests'
    : `/operator/accounts/${encodeURIComponent(account)}/requests`;
}

/**
 * The requests that match, the newest first, page by page.
 * @param isPaused whether to hide new requests.
 */
export function useRequests(filters: URLSearchParams, account: string | null, isPaused: boolean) {
  const query = filters.toString();
  const queryKey = ['requests', account, query];
  const requests = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => {
      const parameters = new URLSearchParams(query);
      if (pageParam !== '') parameters.set('before', pageParam);
      return call<RequestPage>('GET', `${pathOf(account)}?${parameters}`);
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    enabled: ({ state }) => !isPaused || state.data === undefined,
    // The current list stays until the next filter has a result, unless it is of another account.
    placeholderData: (before, query) => (query?.queryKey[1] === account ? before : undefined),
    ...(account !== null && { refetchInterval: LOAD_EVERY }),
  });
  return { ...requests, older: useOlderPages(queryKey, requests) };
}

/** One entry of the log, with the explanation of its error. @param id empty for none. */
export function useLoggedRequest(id: string, account: string | null) {
  return useQuery({
    queryKey: ['requests', account, 'entry', id],
    queryFn: () =>
      call<RequestPage>('GET', `${pathOf(account)}?${new URLSearchParams({ entry: id })}`),
    enabled: id !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The address of a file with all requests that match. */
export function downloadAddress(
  form: 'csv' | 'json',
  filters: URLSearchParams,
  account: string | null,
): string {
  const parameters = new URLSearchParams(filters);
  parameters.set('format', form);
  return `${basePath}/api${pathOf(account)}?${parameters}`;
}

/** For operators: the requests of all accounts with this id. */
export function useFoundRequests(requestId: string, isAsked: boolean) {
  return useQuery({
    queryKey: ['requests', 'found', requestId],
    queryFn: () =>
      call<{ requests: FoundRequest[] }>(
        'GET',
        `/operator/requests?id=${encodeURIComponent(requestId)}`,
      ),
    enabled: isAsked,
  });
}
