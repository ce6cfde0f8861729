import { YAML } from 'bun';
import type { Reply } from '../../http/reply.ts';
import { documentReply } from '../../http/representation.ts';
import { DOCUMENT_PATH, YAML_DOCUMENT_PATH } from '../../http/served-operations.ts';
import { lazyValue } from '../../lib/lazy.ts';

/**
 * The OpenAPI document of a base address, as JSON and as YAML, by path.
 * @param write called at the first request: no start has to wait for the document.
 */
export function servedDocuments(
  write: () => Readonly<Record<string, unknown>>,
): ReadonlyMap<string, () => Reply> {
  return new Map([
    [DOCUMENT_PATH, lazyValue(() => documentReply('application/json', JSON.stringify(write())))],
    // Registered by RFC 9512.
    [YAML_DOCUMENT_PATH, lazyValue(() => documentReply('application/yaml', toYaml(write())))],
  ]);
}

function toYaml(document: Readonly<Record<string, unknown>>): string {
  // Parsers of YAML 1.1 read a plain 2030-12-05 as a date.
  const plainDate = /^(\s*(?:- )?[\w-]+: )(\d{4}-\d\d-\d\d\S*)$/gm;
  return `${YAML.stringify(document, null, 2).replaceAll(plainDate, '$1"$2"')}\n`;
}
