import type { DashboardOptions } from '../options.ts';
import { FAVICON } from './favicon.ts';
import { agentGuide, referenceMarkdown } from './markdown.ts';
import { referenceDocument } from './reference-document.ts';

/** The documents that are served besides pages and assets, by path. */
export function servedDocuments(
  addresses: DashboardOptions['addresses'],
): ReadonlyMap<string, () => Response> {
  return new Map([
    ['/docs/openapi.json', served('application/json', () => referenceDocument(addresses))],
    ['/llms.txt', served('text/plain; charset=utf-8', () => agentGuide(addresses))],
    ['/reference.md', served('text/markdown; charset=utf-8', () => referenceMarkdown(addresses))],
    ['/robots.txt', served('text/plain; charset=utf-8', () => robots(addresses.dashboard))],
    ['/favicon.svg', served('image/svg+xml', () => FAVICON)],
  ]);
}

function served(type: string, write: () => string): () => Response {
  const headers = { 'Content-Type': type, 'Cache-Control': 'no-cache' };
  let text: string | undefined;
  return () => {
    text ??= write();
    return new Response(text, { headers });
  };
}

/** Search engines may index only what can be read without signing in. */
function robots(dashboard: string): string {
  const base = new URL(dashboard).pathname.replace(/\/$/, '');
  const open = ['/$', '/docs', '/llms.txt', '/reference.md', '/assets/', '/favicon.svg'];
  const allowed = open.map((path) => `Allow: ${base}${path}`);
  return ['User-agent: *', ...allowed, `Disallow: ${base}/`, ''].join('\n');
}
