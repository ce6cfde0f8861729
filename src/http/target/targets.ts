import type { ApiErrorBody } from '../../core/errors.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import type { Api } from '../api.ts';
import { BAD_HOST, BAD_TARGET } from '../reply/error-replies.ts';
import { decodeUnreserved, parseTarget } from './request-target.ts';
import { DOCUMENT_PATH, type OperationMatch } from './served-operations.ts';

/**
 * Handles a request to the API on behalf of the client of another request, with that client's address
 * and request id.
 * @param request with a `Host` header.
 * @returns `undefined` where this process serves no API at the address of the request.
 */
export type Forward = (request: Request) => Awaitable<Response> | undefined;

/** The pages below their own base address; not part of the API. */
export interface Pages {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /**
   * Never throws, and never rejects.
   * @param path below the base address.
   * @param address returns the client's address.
   * @param forward sends requests of the same client to the API.
   */
  handle(
    request: Request,
    path: string,
    address: () => string,
    forward: Forward,
  ): Awaitable<Response>;
}

/** A request to the API. */
export interface ApiTarget {
  readonly api: Api;
  /** Below the base address. */
  readonly path: string;
  readonly query: string;
  readonly match: OperationMatch | undefined;
  /** Why the request reaches no API: it is outside of every base address, or its target or host is malformed. */
  readonly problem?: ApiErrorBody;
}

/** A request for a page. */
export interface PageTarget {
  readonly pages: Pages;
  /** Below the base address. */
  readonly path: string;
}

/** What a request reaches outside of every base address, in a process that serves no API. */
interface NoTarget {
  readonly api?: undefined;
  readonly problem: ApiErrorBody;
}

/** An API or the pages, with their base address. */
interface Served {
  /** As a Host header may spell them. */
  readonly hosts: readonly string[];
  /** The path of the base address. */
  readonly prefix: string;
  readonly value: Api | Pages;
}

/**
 * Finds the target of a request. The base addresses form the routing table: the longest path prefix decides
 * first; where several base addresses share it, the Host header breaks the tie.
 */
export class Targets {
  readonly #apis: readonly Api[];
  readonly #pages: Pages | undefined;
  /** Base addresses grouped by prefix, the longest prefix first. */
  readonly #candidates: ReadonlyArray<readonly [prefix: string, candidates: readonly Served[]]>;

  /** @param apis the first one answers requests outside of every base address. */
  constructor(apis: readonly Api[], pages: Pages | undefined) {
    this.#apis = apis;
    this.#pages = pages;
    const served = [...apis, ...(pages ? [pages] : [])].map(servedAt);
    const byPrefix = Map.groupBy(served, ({ prefix }) => prefix);
    this.#candidates = [...byPrefix].sort(([a], [b]) => b.length - a.length);
  }

  find({ url, headers }: Request): ApiTarget | PageTarget | NoTarget {
    const target = parseTarget(url, headers.get('host'));
    if (!target) return this.#unserved(BAD_HOST);
    const { host, query } = target;
    for (const [prefix, candidates] of this.#candidates) {
      if (!isBelow(target.path, prefix)) continue;
      const served =
        candidates.length === 1
          ? candidates[0]
          : candidates.find(({ hosts }) => hosts.includes(host));
      if (!served) return this.#unserved(unknownHost(host, candidates));
      const { value } = served;
      const path = target.path.slice(prefix.length);
      if ('handle' in value) return { pages: value, path };
      return { api: value, path, query, match: value.routes.match(path) };
    }
    return this.#unserved();
  }

  /** The target of a request with a malformed target. */
  malformed(): ApiTarget | NoTarget {
    return this.#unserved(BAD_TARGET);
  }

  /** The paths that the API serves, with `{parameters}`. */
  *servedPaths(): Generator<string> {
    for (const { baseUrl, routes } of this.#apis) {
      for (const path of routes.servedPaths()) yield pathOf(baseUrl) + path;
    }
  }

  /** @param given why the request reaches no API; by default, that nothing is served at its path. */
  #unserved(given?: ApiErrorBody): ApiTarget | NoTarget {
    const [api] = this.#apis;
    const advice = api
      ? `The API is described at ${api.baseUrl}${DOCUMENT_PATH}.`
      : `The dashboard is at ${this.#pages?.baseUrl}.`;
    const message = `Nothing is served here. ${advice}`;
    const problem: ApiErrorBody = given ?? { code: 'not_found', message };
    return api ? { api, path: '', query: '', match: undefined, problem } : { problem };
  }
}

function servedAt(value: Api | Pages): Served {
  const { host, port, protocol } = new URL(value.baseUrl);
  const defaultPort = protocol === 'https:' ? 443 : 80;
  const hosts = port === '' ? [host, `${host}:${defaultPort}`] : [host];
  return { hosts, prefix: decodeUnreserved(pathOf(value.baseUrl)), value };
}

/** The path of a base address, without a trailing slash. */
export function pathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, '');
}

function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');
}

/** The problem of a path that is served only for other hosts. */
function unknownHost(host: string, candidates: readonly Served[]): ApiErrorBody {
  const hosts = candidates.flatMap((candidate) => candidate.hosts.slice(0, 1)).join(' and ');
  const message = `Nothing is served for the host ${host}. This path is served for ${hosts}.`;
  return { code: 'not_found', message };
}
