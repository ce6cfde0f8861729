import { messageOf, StorageUnavailable } from '../core/errors.ts';
import { Readiness } from '../lib/readiness.ts';
import type { Stores } from './stores.ts';

/** The readiness of a process, initially with the checks of these stores and their writes. */
export function storeReadiness(stores: Stores): Readiness {
  const readiness = new Readiness();
  readiness.add('store', () => storeProblem(stores));
  readiness.add('writes', () => stores.writes.problem());
  readiness.addNote(() => lostNodesNote(stores));
  return readiness;
}

/** The reason if the store cannot be read. Clients only see that it is unavailable. */
async function storeProblem({ changes, nodes }: Stores): Promise<string | undefined> {
  try {
    await (nodes ? nodes.probe() : changes.revision());
    return undefined;
  } catch (error) {
    const cause = error instanceof StorageUnavailable ? error.cause : error;
    return `the store is unavailable: ${messageOf(cause)}`;
  }
}

function lostNodesNote({ nodes }: Stores): string | undefined {
  const lost = nodes?.lost ?? [];
  if (lost.length === 0) return undefined;
  return `Nodes of the database that cannot be reached: ${lost.join(', ')}. Requests for data on them get 503.`;
}
