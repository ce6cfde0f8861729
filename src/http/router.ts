import { type ApiAddresses, deprecationHeaders } from './deprecation.ts';
import type { Handler, Handlers } from './handler.ts';
import type { Operation } from './operation.ts';
import type { Reply } from './reply.ts';

/** Where each site serves its OpenAPI document, below its base address. */
export const DOCUMENT_PATH = '/openapi.json';

/** An operation of the contract that a site carries out. */
export interface ServedOperation {
  readonly id: string;
  readonly operation: Operation;
  readonly handle: Handler;
  /** What each reply of a deprecated operation says of it. */
  readonly deprecationHeaders: Reply['headers'];
}

/** What a path serves. */
export interface Route {
  /** Below the base address, with `{parameters}`. */
  readonly path: string;
  /** For the `Allow` header, and for a browser's preflight. */
  readonly allow: string;
  /** By method; HEAD stands beside every GET. */
  readonly operations: ReadonlyMap<string, ServedOperation>;
}

export interface RouteMatch {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The paths of one site, below its base address. */
export class Routes {
  /** Paths without parameters, which are found without a search. */
  readonly #fixed = new Map<string, RouteMatch>();
  /** The others, with what matches each; its named groups are the path parameters. */
  readonly #patterns: Array<readonly [RegExp, Route]> = [];

  /**
   * @param operations by operation id.
   * @param handlers one for each of the operations.
   */
  constructor(
    operations: Readonly<Record<string, Operation>>,
    handlers: Handlers<Record<string, Operation>>,
    addresses: ApiAddresses,
  ) {
    this.#fixed.set(DOCUMENT_PATH, { route: DOCUMENT, parameters: {} });
    for (const route of operationRoutes(operations, handlers, addresses)) {
      const { path } = route;
      if (path.includes('{')) this.#patterns.push([pathPattern(path), route]);
      else this.#fixed.set(path, { route, parameters: {} });
    }
  }

  match(path: string): RouteMatch | undefined {
    const fixed = this.#fixed.get(path);
    if (fixed) return fixed;
    for (const [pattern, route] of this.#patterns) {
      const match = pattern.exec(path);
      if (match) return { route, parameters: match.groups ?? {} };
    }
    return undefined;
  }
}

const DOCUMENT: Route = { path: DOCUMENT_PATH, allow: 'GET, HEAD, OPTIONS', operations: new Map() };

function operationRoutes(
  operations: Readonly<Record<string, Operation>>,
  handlers: Handlers<Record<string, Operation>>,
  addresses: ApiAddresses,
): Route[] {
  const served = Object.entries(operations).map(([id, operation]): ServedOperation => {
    const handle = handlers[id];
    if (!handle) throw new Error(`The operation ${id} has no handler.`);
    const { deprecation } = operation;
    const headers = deprecation && deprecationHeaders(deprecation, addresses);
    return { id, operation, handle, deprecationHeaders: headers };
  });
  const byPath = Map.groupBy(served, ({ operation }) => operation.path);
  return Array.from(byPath, ([path, there]) => {
    const operations = new Map<string, ServedOperation>();
    for (const each of there) {
      const { method } = each.operation;
      operations.set(method, each);
      if (method === 'GET') operations.set('HEAD', each);
    }
    return { path, allow: [...operations.keys(), 'OPTIONS'].join(', '), operations };
  });
}

function pathPattern(path: string): RegExp {
  // What is split at stands at the odd places: text, name, text, name, text.
  const parts = path
    .split(/\{(\w+)\}/)
    .map((part, index) => (index % 2 === 0 ? RegExp.escape(part) : `(?<${part}>[^/]+)`));
  return new RegExp(`^${parts.join('')}$`);
}
