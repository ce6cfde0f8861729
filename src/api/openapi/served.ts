import { YAML } from 'bun';
import type { ApiName } from '../../core/environments.ts';
import type { Reply } from '../../http/reply/reply.ts';
import { documentReply } from '../../http/reply/representation.ts';
import { DOCUMENT_PATH, YAML_DOCUMENT_PATH } from '../../http/target/served-operations.ts';
import { lazy, lazyImport } from '../../lib/lazy.ts';
import type { Contract } from '../operations.ts';
import type { DocumentAddresses } from './document.ts';

const loadDocument = lazyImport(() => import('./document.ts'));

/**
 * The OpenAPI document of a base address, as JSON and as YAML, by path. It is written at the first request.
 * @param name of the API.
 */
export function servedDocuments(
  name: ApiName,
  addresses: DocumentAddresses,
  contract: Contract,
): ReadonlyMap<string, () => Promise<Reply>> {
  const write = async () => (await loadDocument()).openapiDocument(name, addresses, contract);
  return new Map([
    [
      DOCUMENT_PATH,
      lazy(async () => documentReply('application/json', JSON.stringify(await write()))),
    ],
    // The media type is registered by RFC 9512.
    [
      YAML_DOCUMENT_PATH,
      lazy(async () => documentReply('application/yaml', toYaml(await write()))),
    ],
  ]);
}

function toYaml(document: Readonly<Record<string, unknown>>): string {
  // Parsers of YAML 1.1 read a plain 2030-12-05 as a date.
  const plainDate = /^(\s*(?:- )?[\w-]+: )(\d{4}-\d\d-\d\d\S*)$/gm;
  return `${YAML.stringify(document, null, 2).replaceAll(plainDate, '$1"$2"')}\n`;
}
