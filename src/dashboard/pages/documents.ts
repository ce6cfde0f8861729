import { ARAZZO_PATH, arazzoDocument } from '../../api/openapi/arazzo.ts';
import { REVALIDATED } from '../../http/reply/entity-tag.ts';
import { documentReply, selectRepresentation } from '../../http/reply/representation.ts';
import { DOCUMENT_PATH, YAML_DOCUMENT_PATH } from '../../http/target/served-operations.ts';
import { lazyValue } from '../../lib/lazy.ts';
import type { ServiceFacts } from '../reference/guides/guide.ts';
import { REFERENCE_FOLDERS, REFERENCE_PATH } from '../reference/paths.ts';
import { referenceTexts } from '../reference/reference.ts';
import { agentGuide } from './agent-guide.ts';
import { API_CATALOG_PATH, API_CATALOG_TYPE, apiCatalog } from './api-catalog.ts';
import { FAVICON } from './favicon.ts';
import { referenceMarkdown } from './reference-markdown.ts';

const MARKDOWN = 'text/markdown; charset=utf-8';

export type ServeDocument = (request: Request) => Response;

/** The documents that are served in addition to pages and assets, by path. */
export function servedDocuments(facts: ServiceFacts): ReadonlyMap<string, ServeDocument> {
  const { addresses } = facts;
  return new Map<string, ServeDocument>([
    ...[DOCUMENT_PATH, YAML_DOCUMENT_PATH].map(
      (path) => [path, redirect(addresses.production + path)] as const,
    ),
    ...REFERENCE_FOLDERS.map(
      (path) => [path, redirect(addresses.dashboard + REFERENCE_PATH)] as const,
    ),
    [
      ARAZZO_PATH,
      served('application/json', () => JSON.stringify(arazzoDocument(addresses.production))),
    ],
    [
      API_CATALOG_PATH,
      served(API_CATALOG_TYPE, () => apiCatalog(addresses), {
        Link: `<${addresses.dashboard}${API_CATALOG_PATH}>; rel="api-catalog"`,
      }),
    ],
    // W3C, A Well-Known URL for Changing Passwords. Whoever is not signed in is asked to, and then
    // gets to that page.
    ['/.well-known/change-password', redirect(`${addresses.dashboard}/account`)],
    ['/llms.txt', served('text/plain; charset=utf-8', () => agentGuide(facts))],
    ['/reference.md', served(MARKDOWN, () => referenceMarkdown(facts))],
    ...Array.from(
      referenceTexts(facts),
      ([path, write]) => [path, served(MARKDOWN, write)] as const,
    ),
    ['/robots.txt', served('text/plain; charset=utf-8', () => robots(addresses.dashboard))],
    ['/favicon.svg', served('image/svg+xml', () => FAVICON)],
  ]);
}

/** Serves a document, which is generated at the first request for it. */
export function served(
  type: string,
  write: () => string,
  others?: Readonly<Record<string, string>>,
): ServeDocument {
  const document = lazyValue(() => documentReply(type, write(), others));
  return (request) => {
    const {
      status,
      body,
      coding,
      entityTag = '',
      headers,
    } = selectRepresentation(document(), request);
    return new Response(body ?? null, {
      status,
      headers: {
        ...headers,
        'Cache-Control': REVALIDATED,
        ETag: entityTag,
        Vary: 'Accept-Encoding',
        ...(coding && { 'Content-Encoding': coding }),
        ...(body !== undefined && { 'Content-Type': type }),
      },
    });
  };
}

function redirect(address: string): () => Response {
  return () => new Response(null, { status: 307, headers: { Location: address } });
}

/** Lets search engines index only pages that can be read without signing in. */
function robots(dashboard: string): string {
  const base = new URL(dashboard).pathname.replace(/\/$/, '');
  const open = [
    ...['/$', '/docs', '/llms.txt', '/reference.md', '/openapi.', ARAZZO_PATH],
    ...[API_CATALOG_PATH, '/assets/', '/favicon.svg'],
  ];
  const allowed = open.map((path) => `Allow: ${base}${path}`);
  return ['User-agent: *', ...allowed, `Disallow: ${base}/`, ''].join('\n');
}
