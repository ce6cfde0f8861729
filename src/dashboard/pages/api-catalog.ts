import { ARAZZO_PATH } from '../../api/openapi/arazzo.ts';
import { APIS } from '../../core/environments.ts';
import { DOCUMENT_PATH, YAML_DOCUMENT_PATH } from '../../http/target/served-operations.ts';
import { MCP_PATH } from '../mcp-path.ts';
import type { DashboardOptions } from '../options.ts';

/** Where programs look for the APIs of a host (RFC 9727). */
export const API_CATALOG_PATH = '/.well-known/api-catalog';

export const API_CATALOG_TYPE =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/**
 * The API catalog (RFC 9727): each base address with its documents for programs and for people, and
 * the address of the same operations as tools.
 */
export function apiCatalog(addresses: DashboardOptions['addresses']): string {
  const { dashboard } = addresses;
  const linkset = APIS.map((part) => ({
    anchor: addresses[part],
    'service-desc': [
      { href: addresses[part] + DOCUMENT_PATH, type: 'application/json' },
      { href: addresses[part] + YAML_DOCUMENT_PATH, type: 'application/yaml' },
    ],
    ...(part === 'production' && {
      'service-meta': [{ href: dashboard + ARAZZO_PATH, type: 'application/json' }],
    }),
    'service-doc': [
      { href: `${dashboard}/docs`, type: 'text/html' },
      { href: `${dashboard}/reference.md`, type: 'text/markdown' },
    ],
  }));
  const tools = {
    anchor: dashboard + MCP_PATH,
    'service-doc': [{ href: `${dashboard}/llms.txt`, type: 'text/plain' }],
  };
  return JSON.stringify({ linkset: [...linkset, tools] });
}
