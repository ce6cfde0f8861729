import MiniSearch from 'minisearch';
import type { ServiceFacts } from '../reference/guides/guide.ts';
import { isOffered, OPERATOR_ENTRIES } from '../shared/dashboard-pages.ts';
import { requestWithId } from '../shared/request-id.ts';
import {
  INDEX_OPTIONS,
  MAX_SEARCH_RESULTS,
  namedFirst,
  type SearchEntry,
  type SearchResult,
} from '../shared/search.ts';
import { searchEntries } from './entries.ts';

/** The search over all public pages, and over the dashboard's pages by name. */
export interface Search {
  /** The best results first; none for a query without a word. @param isOperator whether the reader is an operator. */
  find(query: string, isOperator: boolean): readonly SearchResult[];
  /** The index for browsers, as JSON, without the pages for operators. */
  readonly index: string;
}

/** Makes the index, which takes some 20 ms. */
export function createSearch(facts: ServiceFacts): Search {
  const entries = searchEntries(facts);
  const byPath = new Map([...entries, ...OPERATOR_ENTRIES].map((entry) => [entry.path, entry]));
  const index = new MiniSearch<SearchEntry>(INDEX_OPTIONS);
  index.addAll(entries);
  const forBrowsers = JSON.stringify(index);
  index.addAll(OPERATOR_ENTRIES);
  return {
    find(query, isOperator) {
      const found = index
        .search(query)
        .filter(({ id }) => isOffered(String(id), isOperator))
        .flatMap(({ id }) => byPath.get(id) ?? []);
      return [...requestWithId(query), ...namedFirst(query, found).slice(0, MAX_SEARCH_RESULTS)];
    },
    index: forBrowsers,
  };
}
