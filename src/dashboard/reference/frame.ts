import type { Contract, PublishedOperation } from '../../api/operations.ts';
import { lifecycleOf } from '../../http/lifecycle.ts';
import { Html, html } from '../pages/html.ts';
import { loading, type PageParts, page as wholePage } from '../pages/shell.ts';
import { filled } from '../shared/frame-templates.ts';
import { unservedPages } from '../shared/unserved.ts';
import { guidesOf } from './guides/guides.ts';
import { guidePath, operationPath, REFERENCE_PATH, REFERENCE_TITLE } from './paths.ts';
import { tagsOf } from './tags.ts';

/** What a link to a page needs. */
export interface PageLink {
  /** Below the dashboard's address. */
  readonly path: string;
  readonly title: string;
}

/** A page of the reference. */
export interface ReferencePage extends PageLink {
  /** One sentence for search engines and previews of links. */
  readonly description: string;
  readonly content: Html;
}

/** The pages before and after a page, in the order of the menu. */
interface Neighbours {
  readonly previous: PageLink | undefined;
  readonly next: PageLink | undefined;
}

/**
 * The whole page: the content in the frame of every page.
 * @param neighbours are linked at the end of a page of the reference.
 */
export function framed(parts: PageParts, page: ReferencePage, neighbours?: Neighbours) {
  const { path, title, description, content } = page;
  const { addresses, assets, basePath, contract } = parts;
  return wholePage(parts, {
    title: `${title} · Petstore`,
    description,
    path,
    head: html`<meta name="base-path" content="${basePath}">
<link rel="canonical" href="${addresses.dashboard}${path}">
${loading(parts, assets.reference, 'module')}`,
    body: new Html(
      filled(assets.frames.anybody, {
        basePath,
        unserved: unservedPages(contract.operationIds),
        section: section(basePath, path, contract).text,
        content: content.text + (neighbours ? pageEnd(basePath, path, neighbours).text : ''),
      }),
    ),
  });
}

/** Links to the text of the page for programs, and to its neighbours. */
function pageEnd(basePath: string, path: string, { previous, next }: Neighbours): Html {
  const text = path === REFERENCE_PATH ? '/reference.md' : `${path}.md`;
  const link = (rel: string, words: string, to: PageLink | undefined) =>
    to
      ? html`<span><a rel="${rel}" href="${basePath}${to.path}">${words}</a> <span class="dimmed">${to.title}</span></span>`
      : html`<span></span>`;
  return html`<nav class="page-end" aria-label="Next pages">
${link('prev', 'Previous', previous)}
<a href="${basePath}${text}">As Markdown</a>
${link('next', 'Next', next)}
</nav>`;
}

/**
 * The pages of the reference in the menu: operations, then guides. The page of an operation shows the
 * operations and has the guides folded, the page of a guide the other way round; so the current page is
 * in view, also without a script.
 */
function section(basePath: string, current: string, contract: Contract): Html {
  const guides = guidesOf(contract).map(({ name, title }) => ({ path: guidePath(name), title }));
  const isGuide = guides.some(({ path }) => path === current);
  const item = (path: string, label: Html | string) => {
    const here = path === current ? html` aria-current="page"` : html``;
    return html`<li><a class="menu-item" href="${basePath}${path}"${here}>${label}</a></li>`;
  };
  const operations = tagsOf(contract).map(({ tag, operations }) =>
    menuGroup(
      tag,
      !isGuide,
      operations.map((operation) => item(operationPath(operation.id), menuLabel(operation))),
    ),
  );
  return html`<ul>
${item(REFERENCE_PATH, REFERENCE_TITLE)}
</ul>
${operations}
${menuGroup(
  'Guides',
  isGuide || current === REFERENCE_PATH,
  guides.map(({ path, title }) => item(path, title)),
)}`;
}

function menuGroup(title: string, isOpen: boolean, items: readonly Html[]): Html {
  return html`<details class="menu-part"${isOpen ? html` open` : ''}>
<summary class="menu-title">${title}</summary>
<ul>
${items}
</ul>
</details>`;
}

function menuLabel(operation: PublishedOperation): Html {
  const marks = lifecycleOf(operation).notes.map(({ badge }) => badge);
  return html`<span class="${marks.join(' ')}">${operation.summary}</span>${methodMark(operation.method)}`;
}

/** How stable an operation is, and whether it is deprecated. */
export function badges(operation: PublishedOperation): Html {
  const { stability = 'stable' } = operation;
  const marks = lifecycleOf(operation).notes.map(({ badge }) => badge);
  const shown = [...new Set([stability, ...marks])];
  return html`${shown.map((mark) => html`<span class="mark mark-${mark}">${mark}</span>`)}`;
}

/** The method of an operation, in its color. */
export function methodMark(method: string): Html {
  return html`<span class="method method-${method.toLowerCase()}">${method}</span>`;
}
