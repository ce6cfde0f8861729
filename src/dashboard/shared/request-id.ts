import type { SearchResult } from './search.ts';

const HEADER = /^["'`]?x-request-id["'`]?\s*[:=]\s*/i;
const QUOTES = /^["'`]+|["'`,;]+$/g;
/** The format of the service's own ids. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The `X-Request-Id` in pasted text: the id alone, or with the header name and quotes. */
export function requestIdIn(pasted: string): string {
  return pasted.trim().replace(HEADER, '').replace(QUOTES, '');
}

/** The first result of a search whose query is a request id. */
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
