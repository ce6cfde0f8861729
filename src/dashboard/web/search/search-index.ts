import MiniSearch from 'minisearch';
import { isOffered, OPERATOR_ENTRIES } from '../../shared/dashboard-pages.ts';
import {
  INDEX_OPTIONS,
  MAX_SEARCH_RESULTS,
  namedFirst,
  SEARCH_INDEX_PATH,
  SEARCH_KINDS,
  type SearchEntry,
  type SearchResult,
} from '../../shared/search.ts';

/** The index of the search in the browser. */
export interface SearchIndex {
  /** The best results first. @param isOperator whether the reader is an operator. */
  find(query: string, isOperator: boolean): readonly SearchResult[];
}

/** Fetches the index from the server. Rejects if that fails. */
export async function loadIndex(basePath: string): Promise<SearchIndex> {
  const reply = await fetch(basePath + SEARCH_INDEX_PATH);
  if (!reply.ok) throw new Error(`The index of the search was answered with ${reply.status}.`);
  const index = MiniSearch.loadJSON<SearchEntry>(await reply.text(), INDEX_OPTIONS);
  index.addAll(OPERATOR_ENTRIES);
  return {
    find(query, isOperator) {
      const found = index
        .search(query)
        .filter(({ id }) => isOffered(String(id), isOperator))
        .map(({ id, title, kind, excerpt }) => ({
          path: String(id),
          title: String(title),
          kind: SEARCH_KINDS.find((known) => known === kind) ?? 'Page',
          excerpt: String(excerpt),
        }));
      return namedFirst(query, found).slice(0, MAX_SEARCH_RESULTS);
    },
  };
}
