/** Definitions of the search that server and browser share. */

/** Path of the search page; its query is `q`. */
export const SEARCH_PATH = '/docs/search';

/** Path of the index, for searching in the browser. */
export const SEARCH_INDEX_PATH = '/docs/search.json';

export const SEARCH_KINDS = [
  'Operation',
  'Guide',
  'Error code',
  'Header',
  'Parameter',
  'Field',
  'Page',
] as const;

type SearchKind = (typeof SEARCH_KINDS)[number];

/** An entry of the search index. */
export interface SearchEntry {
  /** Below the dashboard's address, with an anchor. */
  readonly path: string;
  readonly title: string;
  /** Its exact names, such as an operation id; a query with such a name ranks this entry first. */
  readonly names: string;
  readonly kind: SearchKind;
  /** The text that is shown below the title. */
  readonly excerpt: string;
  /** All other searchable text. */
  readonly text: string;
}

export type SearchResult = Pick<SearchEntry, 'path' | 'title' | 'kind' | 'excerpt'>;

/** Maximum number of results that are shown. */
export const MAX_SEARCH_RESULTS = 20;

/**
 * Kinds with a higher weight come first, because their entries are the most likely meaning of a
 * word.
 */
const KIND_WEIGHTS: Readonly<Record<SearchKind, number>> = {
  'Error code': 2,
  Operation: 2,
  Guide: 2,
  Header: 1.5,
  Page: 1.2,
  Parameter: 0.7,
  Field: 0.5,
};

/** The options of the index. Server and browser must use the same ones. */
export const INDEX_OPTIONS = {
  idField: 'path',
  fields: ['names', 'title', 'excerpt', 'text'],
  storeFields: ['title', 'kind', 'excerpt'],
  searchOptions: {
    boost: { names: 10, title: 4, excerpt: 2 },
    prefix: true,
    // Allows one typing mistake per four letters, and none in numbers such as 429.
    fuzzy: (term: string) => (/\d/.test(term) || term.length < 4 ? false : 0.25),
    combineWith: 'AND' as const,
    boostDocument: (_: unknown, __: string, stored?: Record<string, unknown>) =>
      weightOf(stored?.['kind']),
  },
};

function weightOf(kind: unknown): number {
  const known = SEARCH_KINDS.find((each) => each === kind);
  return known === undefined ? 1 : KIND_WEIGHTS[known];
}
