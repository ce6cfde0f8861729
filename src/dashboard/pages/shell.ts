import type { ServiceFacts } from '../reference/guides/guide.ts';
import type { Assets, PageAssets } from './assets.ts';
import { type Html, html } from './html.ts';

const DESCRIPTION = 'Keys, usage, messages and reference of the petstore API.';

/** How an operator runs the commands. */
const COMMAND = Bun.isStandaloneExecutable ? 'petstore' : 'npm run -s petstore --';

/** The inputs of every page. */
export interface PageParts extends ServiceFacts {
  readonly assets: Assets;
  /** Path of the dashboard's address, without a slash at its end; '' at the root. */
  readonly basePath: string;
}

/** The one page of the application; its script renders the view that the address asks for. */
export function dashboardPage(parts: PageParts, styleNonce: string): Html {
  const { assets, basePath, addresses } = parts;
  const head = html`<meta name="base-path" content="${basePath}">
<meta name="style-nonce" content="${styleNonce}">
${loading(parts, assets.dashboard, 'module')}`;
  return page(parts, {
    title: 'Petstore',
    head,
    body: html`<div id="root"></div>
<noscript>
<main>
<h1>Petstore</h1>
<p>The dashboard needs JavaScript. Without it:</p>
<ul>
<li>Read the API reference as plain text: <a href="${basePath}/reference.md">${addresses.dashboard}/reference.md</a></li>
<li>Make an account: <code>${COMMAND} accounts create you@example.com</code></li>
<li>Make a key: <code>${COMMAND} keys create you@example.com</code></li>
</ul>
</main>
</noscript>`,
  });
}

/** The page for an unknown address. */
export function notFoundPage(parts: PageParts, message: string): Html {
  const { basePath, addresses, assets } = parts;
  return page(parts, {
    title: 'Not found · Petstore',
    head: loading(parts, assets.plain, 'classic'),
    body: html`<main class="plain">
<h1>Not found</h1>
<p>${message}</p>
<ul>
<li><a href="${basePath}/">Dashboard</a>: keys, usage, messages</li>
<li><a href="${basePath}/docs">API reference</a></li>
<li>The API itself: <code>${addresses.production}</code></li>
</ul>
</main>`,
  });
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
  /** One sentence for search engines. */
  readonly description?: string;
  readonly head: Html;
  readonly body: Html;
}

/** A whole document around the head and body of a page. */
export function page(
  { assets, basePath }: PageParts,
  { title, description = DESCRIPTION, head, body }: PageText,
): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="description" content="${description}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${basePath}/favicon.svg">
${assets.themeFirst.scripts.map((name) => html`<script src="${basePath}/assets/${name}"></script>`)}
${head}
</head>
<body>
${body}
</body>
</html>
`;
}
