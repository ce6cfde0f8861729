import { decodeUnreserved, type Target } from './request-target.ts';

/** A target below one of the base addresses. */
export interface Located<T> {
  readonly value: T;
  /** The rest of the path, from the slash after the base address on. */
  readonly path: string;
}

interface Entry<T> {
  /** As a Host header may spell it. */
  readonly hosts: readonly string[];
  readonly prefix: string;
  readonly value: T;
}

/**
 * The routing table that the configured base addresses make. The longest path prefix decides first;
 * where several base addresses share it, the Host header breaks the tie.
 */
export class BaseAddresses<T> {
  /** Those that share a prefix together, the longest prefix first. */
  readonly #rivals: ReadonlyArray<readonly [prefix: string, rivals: readonly Entry<T>[]]>;

  constructor(addresses: Iterable<readonly [url: string, value: T]>) {
    const entries = Array.from(addresses, ([url, value]) => {
      const { host, port, protocol, pathname } = new URL(url);
      const defaultPort = protocol === 'https:' ? 443 : 80;
      const hosts = port === '' ? [host, `${host}:${defaultPort}`] : [host];
      return { hosts, prefix: decodeUnreserved(pathname).replace(/\/$/, ''), value };
    });
    const byPrefix = Map.groupBy(entries, ({ prefix }) => prefix);
    this.#rivals = [...byPrefix].sort(([a], [b]) => b.length - a.length);
  }

  /** The hosts between which the Host header decides for this path; none where it decides nothing. */
  hostsAt(path: string): readonly string[] {
    const [, rivals = []] = this.#rivals.find(([prefix]) => isBelow(path, prefix)) ?? [];
    return rivals.length > 1 ? rivals.flatMap(({ hosts }) => hosts.slice(0, 1)) : [];
  }

  /** `undefined` when the path is outside of every base address, or the host decides for none. */
  locate({ host, path }: Target): Located<T> | undefined {
    for (const [prefix, rivals] of this.#rivals) {
      if (!isBelow(path, prefix)) continue;
      const chosen =
        rivals.length === 1 ? rivals[0] : rivals.find(({ hosts }) => hosts.includes(host));
      return chosen && { value: chosen.value, path: path.slice(prefix.length) };
    }
    return undefined;
  }
}

function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');
}
