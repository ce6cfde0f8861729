import MiniSearch from 'minisearch';
import {
  INDEX_OPTIONS,
  MAX_SEARCH_RESULTS,
  SEARCH_INDEX_PATH,
  SEARCH_KINDS,
  type SearchEntry,
  type SearchResult,
} from '../../shared/search.ts';

/** The index of the search in the browser. */
export interface SearchIndex {
  /** The best results first. */
  find(query: string): readonly SearchResult[];
}

/** Fetches the index from the server. Rejects if that fails. */
export async function loadIndex(basePath: string): Promise<SearchIndex> {
  const reply = await fetch(basePath + SEARCH_INDEX_PATH);
  if (!reply.ok) throw new Error(`The index of the search was answered with ${reply.status}.`);
  const index = MiniSearch.loadJSON<SearchEntry>(await reply.text(), INDEX_OPTIONS);
  return {
    find: (query) =>
      index
        .search(query)
        .slice(0, MAX_SEARCH_RESULTS)
        .map(({ id, title, kind, excerpt }) => ({
          path: String(id),
          title: String(title),
          kind: SEARCH_KINDS.find((known) => known === kind) ?? 'Page',
          excerpt: String(excerpt),
        })),
  };
}
