import { hasCitus } from '../cluster/private-servers.ts';
import { CannotRun, describeCores, describeRevision, requireTools } from '../machine.ts';
import type { Options } from '../options.ts';
import { addWorker, loseWorker, suspendWorker } from './changes.ts';
import { measureCosts } from './costs.ts';
import { measureRareStatus } from './rare-status.ts';

const PARTS = {
  costs: measureCosts,
  'rare-status': measureRareStatus,
  'lost-worker': loseWorker,
  'hanging-worker': suspendWorker,
  'new-worker': addWorker,
} as const;

/** `npm run bench -- citus [PART...]`: the service on Citus. Prints Markdown. */
export async function benchCitus(
  place: { folder: string; progress(text: string): void },
  { names, scale }: Options,
): Promise<void> {
  requireTools({ peers: false });
  if (!hasCitus()) throw new CannotRun('Citus is missing: https://github.com/citusdata/citus');
  if (!Bun.which('redis-server')) throw new CannotRun('Redis is missing: apt-get install redis');
  const asked = names.slice(1);
  const unknown = asked.filter((name) => !Object.hasOwn(PARTS, name));
  if (unknown.length > 0) {
    throw new CannotRun(
      `There is no ${unknown.join(', ')}. Use some of: ${Object.keys(PARTS).join(', ')}.`,
    );
  }
  console.log(`Revision ${describeRevision()} · ${describeCores()}\n`);
  for (const [name, measure] of Object.entries(PARTS)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    console.log(`### ${name}\n\n${await measure(place, scale.citus)}\n`);
  }
}
