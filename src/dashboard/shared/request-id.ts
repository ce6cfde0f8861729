import type { SearchResult } from './search.ts';

const HEADER = /^["'`]?x-request-id["'`]?\s*[:=]\s*/i;
const QUOTES = /^["'`]+|["'`,;]+$/g;
/** As the service makes them. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The `X-Request-Id` in what people paste: the id alone, or with its header and quotes around it. */
export function requestIdIn(pasted: string): string {
  return pasted.trim().replace(HEADER, '').replace(QUOTES, '');
}

/** What a search leads to first when its query is the id of a request. */
export function requestWithId(query: string): readonly SearchResult[] {
  const id = requestIdIn(query);
  if (!UUID.test(id) && !(id !== '' && HEADER.test(query.trim()))) return [];
  return [
    {
      path: `/requests?${new URLSearchParams({ id })}`,
      title: 'The request with this id',
      kind: 'Page',
      excerpt: `Why ${id} failed, and what to do.`,
    },
  ];
}
