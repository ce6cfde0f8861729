import { parseTarget } from '../../http/target/request-target.ts';
import { html } from '../pages/html.ts';
import type { PageParts } from '../pages/shell.ts';
import type { ReferencePage } from '../reference/frame.ts';
import { SEARCH_PATH, type SearchResult } from '../shared/search.ts';

/** Maximum length of a query, in characters. */
const MAX_QUERY_LENGTH = 200;

/**
 * Maximum length of the query string of an address, in characters: a query of the maximum length
 * whose characters are all percent-encoded has fewer. The rest is not read.
 */
const MAX_QUERY_STRING_LENGTH = 4_000;

/** The query of a request for the search page. */
export function queryOf({ url, headers }: Request): string {
  const target = parseTarget(url, headers.get('host'));
  const text = target?.query.slice(0, MAX_QUERY_STRING_LENGTH);
  const query = new URLSearchParams(text).get('q') ?? '';
  return query.trim().slice(0, MAX_QUERY_LENGTH);
}

/** The search page, for browsers without scripts and for shared links. */
export function searchPage(
  query: string,
  results: readonly SearchResult[],
  { basePath }: Pick<PageParts, 'basePath'>,
): ReferencePage {
  return {
    path: SEARCH_PATH,
    title: query === '' ? 'Search' : `Search: ${query}`,
    description: 'Finds operations, guides, error codes, headers and pages.',
    content: html`<h1>Search</h1>
<form class="search-form" role="search" action="${basePath}${SEARCH_PATH}">
<label for="q">Operations, guides, error codes, headers, pages</label>
<input type="search" id="q" name="q" value="${query}" maxlength="${String(MAX_QUERY_LENGTH)}" spellcheck="false" autocomplete="off">
<button class="button">Search</button>
</form>
${query === '' ? '' : html`<p role="status">${countOf(results, query)}</p>`}
<ol class="fields search-results">
${results.map(
  ({ path, title, kind, excerpt }) => html`<li><p class="field">
<a href="${basePath}${path}">${title}</a> <span class="dimmed">${kind}</span></p>
<p>${excerpt}</p></li>`,
)}
</ol>`,
  };
}

function countOf({ length }: readonly SearchResult[], query: string): string {
  if (length === 0) return `Nothing was found for “${query}”. Try a part of the word.`;
  return `${length === 1 ? '1 result' : `${length} results`} for “${query}”`;
}
