import { OPERATIONS } from '../../api/operations.ts';
import { RESOURCES } from '../../api/resources.ts';
import { type Html, html } from '../pages/html.ts';
import { loading, type PageParts, page } from '../pages/shell.ts';
import { SEARCH_PATH } from '../shared/search.ts';
import { GUIDES } from './guides/guides.ts';
import { guidePath, operationPath, REFERENCE_PATH } from './paths.ts';

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
  const { addresses, assets, basePath } = parts;
  return page(parts, {
    title: `${title} · Petstore`,
    description,
    head: html`<meta name="base-path" content="${basePath}">
<link rel="canonical" href="${addresses.dashboard}${path}">
${loading(parts, assets.reference, 'module')}`,
    body: html`<a class="skip-link" href="#content">Skip to the content</a>
${topBar(basePath)}
<div class="frame">
<nav class="side-bar" id="menu" popover aria-label="Pages of the reference">
${navigation(basePath, path)}
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

/** The icon of the search in the dashboard, too. */
const MAGNIFIER = html`<svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><circle cx="10" cy="10" r="7"/><path d="M21 21l-6-6"/></svg>`;

const PAW = html`<svg width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M14.7 13.5c-1.1 -2 -1.441 -2.5 -2.7 -2.5c-1.259 0 -1.736 .755 -2.836 2.747c-.942 1.703 -2.846 1.845 -3.321 3.291c-.097 .265 -.145 .677 -.143 .962c0 1.176 .787 2 1.8 2c1.259 0 3 -1 4.5 -1s3.241 1 4.5 1c1.013 0 1.8 -.823 1.8 -2c0 -.285 -.049 -.697 -.146 -.962c-.475 -1.451 -2.512 -1.835 -3.454 -3.538z"/><path d="M20.188 8.082a1.039 1.039 0 0 0 -.406 -.082h-.015c-.735 .012 -1.56 .75 -1.993 1.866c-.519 1.335 -.28 2.7 .538 3.052c.129 .055 .267 .082 .406 .082c.739 0 1.575 -.742 2.011 -1.866c.516 -1.335 .273 -2.7 -.54 -3.052z"/><path d="M9.474 9c.055 0 .109 0 .163 -.011c.944 -.128 1.533 -1.346 1.32 -2.722c-.203 -1.297 -1.047 -2.267 -1.932 -2.267c-.055 0 -.109 0 -.163 .011c-.944 .128 -1.533 1.346 -1.32 2.722c.204 1.293 1.048 2.267 1.933 2.267z"/><path d="M16.456 6.733c.214 -1.376 -.375 -2.594 -1.32 -2.722a1.164 1.164 0 0 0 -.162 -.011c-.885 0 -1.728 .97 -1.93 2.267c-.214 1.376 .375 2.594 1.32 2.722c.054 .007 .108 .011 .162 .011c.885 0 1.73 -.974 1.93 -2.267z"/><path d="M5.69 12.918c.816 -.352 1.054 -1.719 .536 -3.052c-.436 -1.124 -1.271 -1.866 -2.009 -1.866c-.14 0 -.277 .027 -.407 .082c-.816 .352 -1.054 1.719 -.536 3.052c.436 1.124 1.271 1.866 2.009 1.866c.14 0 .277 -.027 .407 -.082z"/></svg>`;

function navigation(basePath: string, current: string): Html {
  const item = (path: string, label: Html | string) => {
    const here = path === current ? html` aria-current="page"` : html``;
    return html`<li><a href="${basePath}${path}"${here}>${label}</a></li>`;
  };
  const group = (title: string, items: readonly Html[]) =>
    html`<h2 class="menu-title">${title}</h2>
<ul>
${items}
</ul>`;
  const operations = RESOURCES.map(({ tag }) => {
    const ofTag = Object.entries(OPERATIONS).filter(([, operation]) => operation.tag === tag);
    return group(
      tag,
      ofTag.map(([id, { summary, method, deprecation }]) =>
        item(
          operationPath(id),
          html`<span class="${deprecation ? 'deprecated' : ''}">${summary}</span>${methodMark(method)}`,
        ),
      ),
    );
  });
  return html`<ul>
<li class="phone-only"><a href="${basePath}/">Dashboard</a></li>
${item(REFERENCE_PATH, 'Overview')}
</ul>
${group(
  'Guides',
  GUIDES.map(({ name, title }) => item(guidePath(name), title)),
)}
${operations}`;
}

/** The method of an operation, in its color. */
export function methodMark(method: string): Html {
  return html`<span class="method method-${method.toLowerCase()}">${method}</span>`;
}
