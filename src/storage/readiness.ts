import { messageOf, StorageUnavailable } from '../core/errors.ts';
import { Readiness } from '../lib/readiness.ts';
import type { Stores } from './stores.ts';

/** The readiness of a process, initially with the checks of these stores and their writes. */
export function storeReadiness(stores: Stores): Readiness {
  const readiness = new Readiness();
  readiness.add('store', () => storeProblem(stores));
  readiness.add('writes', () => stores.writes.problem());
  return readiness;
}

/** The reason if the store cannot be read. Clients only see that it is unavailable. */
async function storeProblem({ changes }: Stores): Promise<string | undefined> {
  try {
    await changes.revision();
    return undefined;
  } catch (error) {
    const cause = error instanceof StorageUnavailable ? error.cause : error;
    return `the store is unavailable: ${messageOf(cause)}`;
  }
}
