import type { Contract, PublishedOperation } from '../../api/operations.ts';
import { lifecycleOf } from '../../http/lifecycle.ts';
import { Html, html } from '../pages/html.ts';
import { loading, type PageParts, page } from '../pages/shell.ts';
import { filled } from '../shared/frame-templates.ts';
import { unservedPages } from '../shared/unserved.ts';
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

/** The whole page: the content in the frame of every page. */
export function framed(parts: PageParts, { path, title, description, content }: ReferencePage) {
  const { addresses, assets, basePath, contract } = parts;
  return page(parts, {
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
        content: content.text,
      }),
    ),
  });
}

/** The pages of the reference in the menu. */
function section(basePath: string, current: string, contract: Contract): Html {
  const item = (path: string, label: Html | string) => {
    const here = path === current ? html` aria-current="page"` : html``;
    return html`<li><a class="menu-item" href="${basePath}${path}"${here}>${label}</a></li>`;
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
  return html`${group('API reference', [item(REFERENCE_PATH, 'Overview')])}
${group(
  'Guides',
  guidesOf(contract).map(({ name, title }) => item(guidePath(name), title)),
)}
${operations}`;
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
