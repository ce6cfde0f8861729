import { COMMAND } from '../command.ts';
import type { ServiceFacts } from '../reference/guides/guide.ts';
import { filled } from '../shared/frame-templates.ts';
import { firstViewOf } from '../shared/page-titles.ts';
import { unservedPages } from '../shared/unserved.ts';
import type { Assets, PageAssets } from './assets.ts';
import { Html, html } from './html.ts';

const DESCRIPTION = 'Keys, usage, messages and reference of the petstore API.';

/** The inputs of every page. */
export interface PageParts extends ServiceFacts {
  readonly assets: Assets;
  /** Path of the dashboard's address, without a trailing slash; '' at the root. */
  readonly basePath: string;
}

/** The reader of a page, as far as the request shows. */
export interface Reader {
  /** The requested path, below the dashboard's address. */
  readonly path: string;
  /** Whether the browser has a session cookie; the session may have ended. */
  readonly hasSession: boolean;
}

/**
 * The page of the application. It shows the frame and the heading immediately; the script takes them
 * over and shows the view for the address.
 */
export function dashboardPage(parts: PageParts, reader: Reader, styleNonce: string): Html {
  const { assets, basePath } = parts;
  const { title, column } = firstViewOf(reader.path, reader.hasSession);
  const firstView = filled(assets.frames.firstView, {
    title: Bun.escapeHTML(title),
    column,
    noScript: noScript(parts).text,
  });
  return page(parts, {
    title: `${title} · Petstore`,
    path: reader.path,
    head: html`<meta name="base-path" content="${basePath}">
<meta name="style-nonce" content="${styleNonce}">
<meta name="has-session" content="${String(reader.hasSession)}">
<meta name="unserved" content="${unservedPages(parts.contract.operationIds)}">
${loading(parts, assets.dashboard, 'module')}`,
    // Without white space, which React would not expect.
    body: html`<div id="root">${framed(parts, reader, new Html(firstView))}</div>`,
  });
}

function noScript({ addresses, basePath }: PageParts): Html {
  return html`<p>The dashboard needs JavaScript. Without it:</p>
<ul>
<li>Read the API reference: <a href="${basePath}/docs">${addresses.dashboard}/docs</a>, or as plain text: <a href="${basePath}/reference.md">${addresses.dashboard}/reference.md</a></li>
<li>Make an account: <code>${COMMAND} accounts create you@example.com</code></li>
<li>Make a key: <code>${COMMAND} keys create you@example.com</code></li>
</ul>`;
}

/** The page for an unknown address, in the frame of the others. */
export function notFoundPage(parts: PageParts, reader: Reader): Html {
  const { basePath, addresses, assets } = parts;
  return page(parts, {
    title: 'Not found · Petstore',
    head: html`<meta name="base-path" content="${basePath}">
${loading(parts, assets.reference, 'module')}`,
    body: framed(
      parts,
      reader,
      html`<h1 class="page-title first-title">Not found</h1>
<div class="plain-text">
<p>Nothing is served at ${reader.path}.</p>
<ul>
<li><a href="${basePath}/">Dashboard</a>: keys, usage, messages</li>
<li><a href="${basePath}/docs">API reference</a></li>
<li>The API itself: <code>${addresses.production}</code></li>
</ul>
</div>`,
    ),
  });
}

/** The frame of the application's pages around a page's content. */
function framed({ basePath, assets, contract }: PageParts, reader: Reader, content: Html): Html {
  const unserved = unservedPages(contract.operationIds);
  const byPath = reader.hasSession ? assets.frames.member : assets.frames.visitor;
  const template = byPath[reader.path] ?? byPath[''] ?? '';
  return new Html(filled(template, { basePath, unserved, content: content.text }));
}

/** Links and scripts. Modules and deferred scripts run once the page is parsed. */
export function loading(parts: PageParts, needed: PageAssets, kind: 'module' | 'classic'): Html {
  const at = (name: string) => `${parts.basePath}/assets/${name}`;
  return html`${needed.styles.map((name) => html`<link rel="stylesheet" href="${at(name)}">`)}
${needed.imports.map((name) => html`<link rel="modulepreload" href="${at(name)}">`)}
${needed.scripts.map((name) =>
  kind === 'module'
    ? html`<script type="module" src="${at(name)}"></script>`
    : html`<script defer src="${at(name)}"></script>`,
)}`;
}

interface PageText {
  readonly title: string;
  /** One sentence for search engines and previews of links. */
  readonly description?: string;
  /** Below the dashboard's address; omitted for a page that does not exist. */
  readonly path?: string;
  readonly head: Html;
  readonly body: Html;
}

/** A whole document around the head and body of a page. */
export function page(
  { addresses, assets, basePath }: PageParts,
  { title, description = DESCRIPTION, path, head, body }: PageText,
): Html {
  return html`<!doctype html>
<html lang="en" data-mantine-color-scheme="light">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="description" content="${description}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${basePath}/favicon.svg">
<link rel="preload" as="font" type="font/woff2" crossorigin href="${basePath}/assets/${assets.font}">
${path === undefined ? html`` : preview(addresses.dashboard, { assets, path, title, description })}
${assets.themeFirst.scripts.map((name) => html`<script src="${basePath}/assets/${name}"></script>`)}
${head}
</head>
<body>
${body}
</body>
</html>
`;
}

interface Preview extends Required<Pick<PageText, 'path' | 'title' | 'description'>> {
  readonly assets: Assets;
}

/** The preview of a link to the page on other sites and in messengers (Open Graph). */
function preview(dashboard: string, { assets, path, title, description }: Preview): Html {
  const properties = [
    ['og:type', 'website'],
    ['og:site_name', 'Petstore'],
    ['og:title', title],
    ['og:description', description],
    ['og:url', dashboard + path],
    ['og:image', `${dashboard}/assets/${assets.preview}`],
    ['og:image:width', '1200'],
    ['og:image:height', '630'],
    ['og:image:alt', 'Petstore: a JSON API with real keys, rate limits and durable data'],
  ];
  return html`${properties.map(([property = '', content = '']) => html`<meta property="${property}" content="${content}">`)}
<meta name="twitter:card" content="summary_large_image">`;
}
