import { LRUCache } from 'lru-cache';
import type { PetQuery } from '../../core/pets/pet-store.ts';
import { CompressedForms } from '../../http/reply/compression.ts';
import type { Reply } from '../../http/reply/reply.ts';

/** How many query texts are cached with their page, to avoid parsing. */
const TEXTS = 1_000;
const MAX_TEXT_LENGTH = 100;

/**
 * Caches the replies with first pages of the list, which most requests ask for. Only cacheable pages may be put
 * here, which do not change until the environment is reset. There is one page for each limit and status,
 * about 400 in total, and 25 MB if every name has the maximum length, so no eviction is needed. The
 * compressed forms that clients request are cached with the pages, and are at most as large again for each
 * coding.
 *
 * Later pages are not cached: they would fill any bound, and a client that walks through a large store would
 * seldom find one.
 */
export class PageCache {
  readonly #pages = new Map<string, Reply>();
  readonly #byText = new LRUCache<string, Reply>({ max: TEXTS });

  /** How often the cache was cleared: a page that was read before a clear is not put here afterwards. */
  #generation = 0;

  get generation(): number {
    return this.#generation;
  }

  clear(): void {
    this.#generation += 1;
    this.#pages.clear();
    this.#byText.clear();
  }

  /** The page cached for exactly this query text. */
  find(text: string): Reply | undefined {
    return this.#byText.peek(text);
  }

  /** @param text of the query; from now on `find` returns the page for it. */
  get(query: PetQuery, text: string): Reply | undefined {
    const page = query.after === 0 ? this.#pages.get(nameOf(query)) : undefined;
    if (page && text.length <= MAX_TEXT_LENGTH) this.#byText.set(text, page);
    return page;
  }

  /**
   * Caches a first page. Returns the page as later requests will get it.
   * @param generation of the cache before the page was read.
   */
  put(query: PetQuery, page: Reply, generation: number): Reply {
    if (query.after !== 0 || page.body === undefined || generation !== this.#generation)
      return page;
    const cached = { ...page, compressed: new CompressedForms(page.body) };
    this.#pages.set(nameOf(query), cached);
    return cached;
  }
}

function nameOf({ limit, status }: PetQuery): string {
  return `${limit} ${status}`;
}
