import type { Problem } from '../core/errors.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import type { Api } from './api.ts';
import { BaseAddresses } from './base-addresses.ts';
import { BAD_HOST, BAD_TARGET } from './error-replies.ts';
import { parseTarget, type Target } from './request-target.ts';
import { DOCUMENT_PATH, type OperationMatch } from './served-operations.ts';

/**
 * Handles a request to the API on behalf of the client of another request, with that client's address
 * and request id.
 * @param request with a `Host` header.
 * @returns `undefined` where this process serves no API at the address of the request.
 */
export type Forward = (request: Request) => Awaitable<Response> | undefined;

/** Pages for people, below a base address of their own; not part of the API. */
export interface Pages {
  /** Without a slash at its end. */
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
  readonly problem?: Problem;
}

/** A request for a page. */
export interface PageTarget {
  readonly pages: Pages;
  /** Below the base address. */
  readonly path: string;
}

/** Finds what a request is sent to. */
export class Targets {
  readonly #apis: readonly Api[];
  readonly #addresses: BaseAddresses<Api | Pages>;

  /** @param apis requests outside of every base address are answered by the first. */
  constructor(apis: readonly Api[], pages: Pages | undefined) {
    this.#apis = apis;
    this.#addresses = new BaseAddresses(
      [...apis, ...(pages ? [pages] : [])].map((served) => [served.baseUrl, served]),
    );
  }

  /** `undefined` outside of every base address in a process that serves no API. */
  find({ url, headers }: Request): ApiTarget | PageTarget | undefined {
    const target = parseTarget(url, headers.get('host'));
    const located = target && this.#addresses.locate(target);
    if (located) {
      const { value, path } = located;
      if ('handle' in value) return { pages: value, path };
      return { api: value, path, query: target.query, match: value.routes.match(path) };
    }
    return this.#unserved(target ? this.#unknownHost(target) : BAD_HOST);
  }

  /** The target of a request whose own is malformed; `undefined` in a process that serves no API. */
  malformed(): ApiTarget | undefined {
    return this.#unserved(BAD_TARGET);
  }

  /** The paths that the API serves, with `{parameters}`. */
  *servedPaths(): Generator<string> {
    for (const { baseUrl, routes } of this.#apis) {
      const prefix = new URL(baseUrl).pathname.replace(/\/$/, '');
      for (const path of routes.servedPaths()) yield prefix + path;
    }
  }

  /** The problem of a path that is served for other hosts; `undefined` when it is served for none. */
  #unknownHost({ host, path }: Target): Problem | undefined {
    const hosts = this.#addresses.hostsAt(path);
    if (hosts.length === 0) return undefined;
    const message = `Nothing is served for the host ${host}. This path is served for ${hosts.join(' and ')}.`;
    return { code: 'not_found', message };
  }

  /** @param given why the request reaches no API; without it, nothing is served at its path. */
  #unserved(given?: Problem): ApiTarget | undefined {
    const [api] = this.#apis;
    if (!api) return undefined;
    const message = `Nothing is served here. The API is described at ${api.baseUrl}${DOCUMENT_PATH}.`;
    const problem: Problem = given ?? { code: 'not_found', message };
    return { api, path: '', query: '', match: undefined, problem };
  }
}
