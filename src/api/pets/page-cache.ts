import type { PetQuery } from '../../core/pets.ts';
import type { Reply } from '../../http/reply.ts';

/**
 * Keeps first pages of the list as they were written: what most requests ask for. Only settled
 * pages may be put here, which are the same for ever; so nothing in here is ever out of date. There
 * is one page for each limit and status, some 400 in all, and 25 MB where every name is as long as
 * it may be: it needs no eviction.
 *
 * Pages further on are read anew. Kept too, they would fill any bound, and a walk through a large
 * store would seldom meet one again.
 */
export class PageCache {
  readonly #pages = new Map<string, Reply>();

  get(query: PetQuery): Reply | undefined {
    return query.after === 0 ? this.#pages.get(nameOf(query)) : undefined;
  }

  put(query: PetQuery, page: Reply): void {
    if (query.after === 0) this.#pages.set(nameOf(query), page);
  }
}

function nameOf({ limit, status }: PetQuery): string {
  return `${limit} ${status}`;
}
