import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(import.meta.dir, '..', 'docs');

/**
 * Puts text between the marks of that name, `<!-- NAME: begin; … -->` and `<!-- NAME: end -->`, on a
 * page of the documentation.
 * @throws Error when the page has no such marks.
 */
export function writeBlock(page: string, name: string, text: string): void {
  const path = join(DOCS, page);
  const before = readFileSync(path, 'utf8');
  const block = new RegExp(`(<!-- ${name}: begin[^>]*-->\n)[\\s\\S]*(<!-- ${name}: end -->)`);
  if (!block.test(before)) throw new Error(`docs/${page} has no place for the ${name}.`);
  const put = (_: string, begin: string, end: string) => `${begin}\n${text}\n\n${end}`;
  writeFileSync(path, before.replace(block, put));
}
