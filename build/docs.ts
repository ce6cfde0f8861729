import { join } from 'node:path';
import { commandsPage } from './commands-page.ts';
import { settingsPage } from './settings-page.ts';

/*
 * Writes the pages of docs/ that are made of the code: npm run docs.
 */

const FOLDER = join(import.meta.dir, '..', 'docs');

/** The text of each page, by the name of its file in docs/. */
export async function generatedPages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['commands.md', await commandsPage()],
    ['settings.md', settingsPage()],
  ]);
}

if (import.meta.main) {
  for (const [name, text] of await generatedPages()) await Bun.write(join(FOLDER, name), text);
}
