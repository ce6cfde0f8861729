import type { Target } from './target.ts';

interface Entry<T> {
  readonly host: string;
  readonly prefix: string;
  readonly value: T;
}

/** A target below one of the base addresses. */
export interface Located<T> {
  readonly value: T;
  /** The rest of the path, from the slash after the base address on. */
  readonly path: string;
}

/**
 * The routing table that the configured base addresses make. The longest path prefix decides first;
 * where several base addresses share it, the Host header breaks the tie.
 */
export class BaseAddresses<T> {
  readonly #entries: readonly Entry<T>[];

  constructor(addresses: Iterable<readonly [url: string, value: T]>) {
    const entries = Array.from(addresses, ([url, value]) => {
      const { host, pathname } = new URL(url);
      return { host, prefix: pathname.replace(/\/$/, ''), value };
    });
    this.#entries = entries.sort((a, b) => b.prefix.length - a.prefix.length);
  }

  /** `undefined` when the path is outside of every base address, or the host decides for none. */
  locate({ host, path }: Target): Located<T> | undefined {
    const first = this.#entries.find(({ prefix }) => isBelow(path, prefix));
    if (!first) return undefined;
    const rivals = this.#entries.filter(({ prefix }) => prefix === first.prefix);
    const chosen = rivals.length === 1 ? first : rivals.find((entry) => entry.host === host);
    return chosen && { value: chosen.value, path: path.slice(chosen.prefix.length) };
  }
}

function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');
}
