import { LRUCache } from 'lru-cache';
import type { PetChange, PetChanges } from '../../core/pets/pet-changes.ts';
import type { PetPage, PetQuery } from '../../core/pets/pet-store.ts';
import type { PetStatus } from '../../core/pets/pets.ts';
import { CompressedForms } from '../../http/reply/compression.ts';
import type { Reply } from '../../http/reply/reply.ts';

/** How many query texts are cached with their page, to avoid parsing. */
const TEXTS = 1_000;
const MAX_TEXT_LENGTH = 100;

/** How many of the latest changes are compared with pages that were being read meanwhile. */
const REMEMBERED = 1_000;

/** What a page shows, as far as a change of a pet can affect it. */
interface Bounds {
  readonly status: PetStatus | undefined;
  /** The id of its last pet. The page shows every pet up to it, or every one with the status. */
  readonly last: number;
  /** The id of the pet after the page, which is the reason for its link. */
  readonly next: number;
}

interface CachedPage {
  readonly bounds: Bounds;
  /** `undefined` once a change has affected the page. */
  reply: Reply | undefined;
}

/**
 * Caches the replies with first pages of the list, which most requests ask for. Only cacheable pages may be put here:
 * they stay the same until a pet changes that they show, or that enters them, or the pet after them goes. There is one
 * page for each limit and status, about 400 in total, and 25 MB if every name has the maximum length, so no eviction is
 * needed. The compressed forms that clients request are cached with the pages, and are at most as large again for each
 * coding.
 *
 * Later pages are not cached: they would fill any bound, and a client that walks through a large store would
 * seldom find one.
 */
export class PageCache {
  readonly #pages = new Map<string, CachedPage>();
  readonly #byText = new LRUCache<string, CachedPage>({ max: TEXTS });
  /** The latest changes, oldest first. */
  readonly #changes: PetChange[] = [];
  /** How many changes were applied before these. */
  #forgotten = 0;

  /** How many changes were applied: a page that was read before a change that affects it is not put here afterwards. */
  get generation(): number {
    return this.#forgotten + this.#changes.length;
  }

  /** Drops the pages that these changes affect, and only those. */
  apply(changes: PetChanges): void {
    if (changes === 'everything') {
      this.#drop(() => true);
      this.#forget(this.#changes.length);
      // A page that is being read must count as read before a change.
      this.#forgotten += 1;
      return;
    }
    this.#drop((bounds) => affectsAny(changes, bounds));
    this.#changes.push(...changes);
    this.#forget(this.#changes.length - REMEMBERED);
  }

  /** The page cached for exactly this query text. */
  find(text: string): Reply | undefined {
    return this.#byText.peek(text)?.reply;
  }

  /** @param text of the query; from now on `find` returns the page for it. */
  get(query: PetQuery, text: string): Reply | undefined {
    const page = query.after === 0 ? this.#pages.get(nameOf(query)) : undefined;
    if (page && text.length <= MAX_TEXT_LENGTH) this.#byText.set(text, page);
    return page?.reply;
  }

  /**
   * Caches a first page if it is cacheable. Returns the page as later requests will get it.
   * @param generation of the cache before the page was read.
   */
  put(query: PetQuery, page: PetPage, reply: Reply, generation: number): Reply {
    const last = page.pets.at(-1)?.id;
    const { next, isCacheable } = page;
    if (!isCacheable || query.after !== 0 || last === undefined || next === undefined) return reply;
    const bounds = { status: query.status, last, next };
    if (reply.body === undefined || this.#mayBeOld(bounds, generation)) return reply;
    const name = nameOf(query);
    // Another request has put the page here meanwhile. `find` must not return it after a change.
    const former = this.#pages.get(name);
    if (former) former.reply = undefined;
    const cached = { ...reply, compressed: new CompressedForms(reply.body) };
    this.#pages.set(name, { bounds, reply: cached });
    return cached;
  }

  /** Whether a page that was read in this generation may show a pet as it was before a change. */
  #mayBeOld(bounds: Bounds, generation: number): boolean {
    if (generation < this.#forgotten) return true;
    return affectsAny(this.#changes.slice(generation - this.#forgotten), bounds);
  }

  #drop(isAffected: (bounds: Bounds) => boolean): void {
    for (const [name, page] of this.#pages) {
      if (!isAffected(page.bounds)) continue;
      page.reply = undefined;
      this.#pages.delete(name);
    }
  }

  #forget(count: number): void {
    if (count > 0) this.#forgotten += this.#changes.splice(0, count).length;
  }
}

function affectsAny(changes: readonly PetChange[], bounds: Bounds): boolean {
  return changes.some((change) => affects(change, bounds));
}

/** Whether a page may have another content, or no link any more, after a change. */
function affects({ id, before, after }: PetChange, { status, last, next }: Bounds): boolean {
  if (id === next) return after === undefined || (status !== undefined && after !== status);
  if (id > last) return false;
  return status === undefined || before === status || after === status;
}

function nameOf({ limit, status }: PetQuery): string {
  return `${limit} ${status}`;
}
