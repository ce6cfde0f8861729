import { join } from 'node:path';
import { CONTRACT } from '../src/api/all-operations.ts';
import { readConfig } from '../src/config/config.ts';
import type { Guide, ServiceFacts } from '../src/dashboard/reference/guides/guide.ts';
import { GUIDES } from '../src/dashboard/reference/guides/guides.ts';

/*
 * Writes the guides of a service with default settings to docs/guides: npm run guides.
 */

const FOLDER = join(import.meta.dir, '..', 'docs', 'guides');
const DEFAULT_PORT = 3000;

/** The guides as files of the documentation, by name. */
export function guideFiles(): ReadonlyMap<string, string> {
  const { addresses, banPolicy, anonymousLimits } = readConfig({});
  const facts = {
    addresses: addresses(DEFAULT_PORT),
    contract: CONTRACT,
    banPolicy,
    anonymousLimits,
  };
  return new Map(GUIDES.map((guide) => [`${guide.name}.md`, fileOf(guide, facts)]));
}

function fileOf({ title, description, body }: Guide, facts: ServiceFacts): string {
  const text = body(facts)
    .replaceAll(/\]\(\/docs\/guides\/([\w-]+)(#[\w-]+)?\)/g, ']($1.md$2)')
    .replaceAll('](/', `](${facts.addresses.dashboard}/`);
  return `<!-- npm run guides -->\n\n# ${title}\n\n${description}\n\n${text.trimEnd()}\n`;
}

if (import.meta.main) {
  for (const [name, text] of guideFiles()) await Bun.write(join(FOLDER, name), text);
}
