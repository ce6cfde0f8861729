import MiniSearch from 'minisearch';
import type { ServiceFacts } from '../reference/guides/guide.ts';
import { requestWithId } from '../shared/request-id.ts';
import {
  INDEX_OPTIONS,
  MAX_SEARCH_RESULTS,
  type SearchEntry,
  type SearchResult,
} from '../shared/search.ts';
import { searchEntries } from './entries.ts';

/** The search over all public pages, and over the dashboard's pages by name. */
export interface Search {
  /** The best results first; none for a query without a word. */
  find(query: string): readonly SearchResult[];
  /** The index for browsers, as JSON. */
  readonly index: string;
}

/** Makes the index, which takes some 20 ms. */
export function createSearch(facts: ServiceFacts): Search {
  const entries = searchEntries(facts);
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const index = new MiniSearch<SearchEntry>(INDEX_OPTIONS);
  index.addAll(entries);
  return {
    find(query) {
      const found = index.search(query).flatMap(({ id }) => byPath.get(id) ?? []);
      return [...requestWithId(query), ...found.slice(0, MAX_SEARCH_RESULTS)];
    },
    index: JSON.stringify(index),
  };
}
