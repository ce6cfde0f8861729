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
 * word. Error codes, whose names consist of common words, come after the pages about them.
 */
const KIND_WEIGHTS: Readonly<Record<SearchKind, number>> = {
  Page: 3,
  Guide: 2.5,
  Operation: 2,
  Header: 0.8,
  'Error code': 0.2,
  Parameter: 0.7,
  Field: 0.5,
};

/** Maximum number of different words of a query that are looked for; further ones are ignored. */
export const MAX_QUERY_WORDS = 6;

/**
 * Maximum length of a word that is looked for, in characters. Comparing a longer one with all words
 * of the index takes long, and the index has none.
 */
export const MAX_WORD_LENGTH = 40;

/** A single letter is the beginning of half of all words, so it is only found as a word. */
const SHORTEST_PREFIX = 2;

/**
 * Words that most entries or questions contain. They are not searched for, because that would take the most time and
 * find nearly everything.
 */
const COMMON_WORDS: ReadonlySet<string> = new Set([
  ...['a', 'an', 'and', 'are', 'as', 'at', 'be', 'by', 'can', 'do', 'does', 'for', 'how', 'i'],
  ...['in', 'is', 'it', 'my', 'of', 'on', 'or', 'that', 'the', 'this', 'to', 'what', 'with'],
]);

/** Maximum number of typing mistakes in one word. */
const MOST_MISTAKES = 2;

const BETWEEN_WORDS = /[\n\r\p{Z}\p{P}]+/u;

function wordsOf(text: string): string[] {
  return text.split(BETWEEN_WORDS);
}

/**
 * The words of a query, each once: looking for a word takes the same time however often the query
 * repeats it.
 */
export function queryWords(query: string): string[] {
  const words = new Set<string>();
  for (const word of wordsOf(query.toLowerCase())) {
    if (word !== '') words.add(word.slice(0, MAX_WORD_LENGTH));
    if (words.size === MAX_QUERY_WORDS) break;
  }
  return [...words];
}

/** The results with the title that a query names, such as `pet_not_found` or "pet not found", come first. */
export function namedFirst<Result extends Pick<SearchResult, 'title' | 'kind'>>(
  query: string,
  results: readonly Result[],
): Result[] {
  const name = queryWords(query).join(' ');
  // Parameters and fields have names of common words.
  const isNamed = ({ title, kind }: Result) =>
    kind !== 'Parameter' && kind !== 'Field' && queryWords(title).join(' ') === name;
  return [...results.filter(isNamed), ...results.filter((result) => !isNamed(result))];
}

/** The options of the index. Server and browser must use the same ones. */
export const INDEX_OPTIONS = {
  idField: 'path',
  tokenize: wordsOf,
  processTerm: (term: string) => {
    const word = term.toLowerCase();
    return COMMON_WORDS.has(word) ? undefined : word;
  },
  fields: ['names', 'title', 'excerpt', 'text'],
  storeFields: ['title', 'kind', 'excerpt'],
  searchOptions: {
    boost: { names: 10, title: 4, excerpt: 2 },
    tokenize: queryWords,
    prefix: (term: string) => term.length >= SHORTEST_PREFIX,
    // Allows one typing mistake per four letters, and none in numbers such as 429.
    fuzzy: (term: string) => (/\d/.test(term) || term.length < 4 ? false : 0.25),
    maxFuzzy: MOST_MISTAKES,
    combineWith: 'AND' as const,
    boostDocument: (_: unknown, term: string, stored?: Record<string, unknown>) =>
      weightOf(stored?.['kind'], term),
  },
};

/** A status, such as 429, means its error codes. */
const STATUS = /^[45]\d\d$/;

function weightOf(kind: unknown, term: string): number {
  if (STATUS.test(term)) return 1;
  const known = SEARCH_KINDS.find((each) => each === kind);
  return known === undefined ? 1 : KIND_WEIGHTS[known];
}
