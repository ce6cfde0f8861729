import { LRUCache } from 'lru-cache';
import type { PetQuery } from '../../core/pets.ts';
import { CompressedForms } from '../../http/compression.ts';
import type { Reply } from '../../http/reply.ts';

/** Query texts whose page is known without parsing them. */
const TEXTS = 1_000;
const MAX_TEXT_LENGTH = 100;

/**
 * Caches the replies with first pages of the list, which most requests ask for. Only settled pages may
 * be put here, which do not change until the environment is reset. There is one page for each limit and
 * status, some 400 in all, and 25 MB where every name is as long as it may be: it needs no eviction. The
 * compressed forms that clients ask for are kept with them, and are at most as large again for each coding.
 *
 * Later pages are not cached: they would fill any bound, and a walk through a large store would seldom
 * meet one again.
 */
export class PageCache {
  readonly #pages = new Map<string, Reply>();
  readonly #byText = new LRUCache<string, Reply>({ max: TEXTS });

  /** How often it was cleared: a page that was read before is not put here after it. */
  #clears = 0;

  get clears(): number {
    return this.#clears;
  }

  clear(): void {
    this.#clears += 1;
    this.#pages.clear();
    this.#byText.clear();
  }

  /** The page that was found for exactly this query text. */
  find(text: string): Reply | undefined {
    return this.#byText.peek(text);
  }

  /** @param text of the query; `find` finds the page by it from now on. */
  get(query: PetQuery, text: string): Reply | undefined {
    const page = query.after === 0 ? this.#pages.get(nameOf(query)) : undefined;
    if (page && text.length <= MAX_TEXT_LENGTH) this.#byText.set(text, page);
    return page;
  }

  /**
   * Caches a first page. Returns the page as later requests find it.
   * @param clears as it was before the page was read.
   */
  put(query: PetQuery, page: Reply, clears: number): Reply {
    if (query.after !== 0 || page.body === undefined || clears !== this.#clears) return page;
    const cached = { ...page, compressed: new CompressedForms(page.body) };
    this.#pages.set(nameOf(query), cached);
    return cached;
  }
}

function nameOf({ limit, status }: PetQuery): string {
  return `${limit} ${status}`;
}
