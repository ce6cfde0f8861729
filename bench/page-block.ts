import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(import.meta.dir, '..', 'docs');

/**
 * Replaces the text between the markers `<!-- NAME: begin; … -->` and `<!-- NAME: end -->` in a page of the
 * documentation.
 * @throws Error when the page has no such markers.
 */
export function writeBlock(page: string, name: string, text: string): void {
  const path = join(DOCS, page);
  const before = readFileSync(path, 'utf8');
  const block = new RegExp(`(<!-- ${name}: begin[^>]*-->\n)[\\s\\S]*(<!-- ${name}: end -->)`);
  if (!block.test(before)) throw new Error(`docs/${page} has no markers for the ${name}.`);
  const put = (_: string, begin: string, end: string) => `${begin}\n${text}\n\n${end}`;
  writeFileSync(path, before.replace(block, put));
}
