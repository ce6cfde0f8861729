import type { PetQuery } from '../core/pets.ts';
import type { Reply } from './reply.ts';

/** Characters of body that are kept, over all pages; some 16 MB of memory for plain names. */
const CAPACITY = 16_000_000;

/**
 * Keeps written pages of the list. Only settled pages may be put here: they are the same for ever, so
 * nothing in here is ever out of date. The oldest page makes room for the next.
 */
export class PageCache {
  readonly #pages = new Map<string, Reply>();
  #size = 0;

  get(query: PetQuery): Reply | undefined {
    return this.#pages.get(nameOf(query));
  }

  put(query: PetQuery, page: Reply): void {
    const name = nameOf(query);
    if (this.#pages.has(name)) return;
    this.#pages.set(name, page);
    this.#size += sizeOf(page);
    for (const [oldest, evicted] of this.#pages) {
      if (this.#size <= CAPACITY) return;
      this.#pages.delete(oldest);
      this.#size -= sizeOf(evicted);
    }
  }
}

function nameOf({ limit, status, after }: PetQuery): string {
  return `${after},${limit},${status}`;
}

function sizeOf({ body }: Reply): number {
  return body?.length ?? 0;
}
