import type { Contract } from '../../api/operations.ts';
import { lifecycleOf } from '../../http/lifecycle.ts';
import { type Html, html } from '../pages/html.ts';
import { PAW } from '../pages/paw.ts';
import { loading, type PageParts, page } from '../pages/shell.ts';
import { SEARCH_PATH } from '../shared/search.ts';
import { guidesOf } from './guides/guides.ts';
import { guidePath, operationPath, REFERENCE_PATH } from './paths.ts';
import { tagsOf } from './tags.ts';

/** A page of the reference. */
export interface ReferencePage {
  /** Below the dashboard's address. */
  readonly path: string;
  readonly title: string;
  /** One sentence for search engines and previews of links. */
  readonly description: string;
  readonly content: Html;
}

/** The whole page: the bar and the navigation of the dashboard around the content. */
export function framed(parts: PageParts, { path, title, description, content }: ReferencePage) {
  const { addresses, assets, basePath, contract } = parts;
  return page(parts, {
    title: `${title} · Petstore`,
    description,
    path,
    head: html`<meta name="base-path" content="${basePath}">
<link rel="canonical" href="${addresses.dashboard}${path}">
${loading(parts, assets.reference, 'module')}`,
    body: html`<a class="skip-link" href="#content">Skip to the content</a>
${topBar(basePath)}
<div class="frame">
<nav class="side-bar" id="menu" popover aria-label="Pages of the reference">
${navigation(basePath, path, contract)}
</nav>
<main id="content" class="content" tabindex="-1">
${content}
</main>
</div>`,
  });
}

function topBar(basePath: string): Html {
  return html`<header class="top-bar">
<div class="bar-part">
<button type="button" class="menu-button" popovertarget="menu" aria-label="Open the menu"><span></span></button>
<a class="brand" href="${basePath}/">${PAW}Petstore</a>
</div>
<div class="bar-part">
<a class="search-link" data-search href="${basePath}${SEARCH_PATH}" aria-label="Search">${MAGNIFIER}<span class="search-text">Search</span> <kbd aria-hidden="true">/</kbd></a>
<a class="bar-link" href="${basePath}/">Dashboard</a>
<a class="bar-link" href="${basePath}${REFERENCE_PATH}">API reference</a>
<select class="color-scheme needs-script" aria-label="Colors">
<option value="auto">System</option>
<option value="light">Light</option>
<option value="dark">Dark</option>
</select>
</div>
</header>`;
}

/** The same search icon as in the dashboard. */
const MAGNIFIER = html`<svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><circle cx="10" cy="10" r="7"/><path d="M21 21l-6-6"/></svg>`;

function navigation(basePath: string, current: string, contract: Contract): Html {
  const item = (path: string, label: Html | string) => {
    const here = path === current ? html` aria-current="page"` : html``;
    return html`<li><a href="${basePath}${path}"${here}>${label}</a></li>`;
  };
  const group = (title: string, items: readonly Html[]) =>
    html`<h2 class="menu-title">${title}</h2>
<ul>
${items}
</ul>`;
  const operations = tagsOf(contract).map(({ tag, operations }) =>
    group(
      tag,
      operations.map((operation) => {
        const { id, summary, method } = operation;
        const marks = lifecycleOf(operation).notes.map(({ badge }) => badge);
        return item(
          operationPath(id),
          html`<span class="${marks.join(' ')}">${summary}</span>${methodMark(method)}`,
        );
      }),
    ),
  );
  return html`<ul>
<li class="phone-only"><a href="${basePath}/">Dashboard</a></li>
${item(REFERENCE_PATH, 'Overview')}
</ul>
${group(
  'Guides',
  guidesOf(contract).map(({ name, title }) => item(guidePath(name), title)),
)}
${operations}`;
}

/** The method of an operation, in its color. */
export function methodMark(method: string): Html {
  return html`<span class="method method-${method.toLowerCase()}">${method}</span>`;
}
