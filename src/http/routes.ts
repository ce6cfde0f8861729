import { OPERATION_IDS, OPERATIONS, type Operation } from '../contract/operations.ts';
import type { Handler, Handlers } from './handler.ts';

/** Where each site serves its OpenAPI document, below its base address. */
export const DOCUMENT_PATH = '/openapi.json';

/** An operation of the contract that a site carries out. */
export interface ServedOperation {
  readonly id: string;
  readonly operation: Operation;
  readonly handle: Handler;
}

/** What a path serves. */
export interface Route {
  /** Below the base address, with `{parameters}`. */
  readonly path: string;
  /** For the `Allow` header, and for a browser's preflight. */
  readonly allow: string;
  /** By method; HEAD stands beside every GET. */
  readonly operations: ReadonlyMap<string, ServedOperation>;
  /** Matches the path; its named groups are the path parameters. */
  readonly pattern: RegExp;
}

export interface RouteMatch {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The paths of one site, below its base address. */
export class Routes {
  readonly #routes: readonly Route[];

  constructor(handlers: Handlers) {
    const document = pathPattern(DOCUMENT_PATH);
    this.#routes = [
      ...operationRoutes(handlers),
      {
        path: DOCUMENT_PATH,
        allow: 'GET, HEAD, OPTIONS',
        operations: new Map(),
        pattern: document,
      },
    ];
  }

  match(path: string): RouteMatch | undefined {
    for (const route of this.#routes) {
      const match = route.pattern.exec(path);
      if (match) return { route, parameters: match.groups ?? {} };
    }
    return undefined;
  }
}

function operationRoutes(handlers: Handlers): Route[] {
  const served = OPERATION_IDS.flatMap((id): ServedOperation[] => {
    const handle = handlers[id];
    return handle ? [{ id, operation: OPERATIONS[id], handle }] : [];
  });
  const byPath = Map.groupBy(served, ({ operation }) => operation.path);
  return Array.from(byPath, ([path, there]) => {
    const operations = new Map<string, ServedOperation>();
    for (const each of there) {
      const { method } = each.operation;
      operations.set(method, each);
      if (method === 'GET') operations.set('HEAD', each);
    }
    return {
      path,
      allow: [...operations.keys(), 'OPTIONS'].join(', '),
      operations,
      pattern: pathPattern(path),
    };
  });
}

function pathPattern(path: string): RegExp {
  // What is split at stands at the odd places: text, name, text, name, text.
  const parts = path
    .split(/\{(\w+)\}/)
    .map((part, index) => (index % 2 === 0 ? RegExp.escape(part) : `(?<${part}>[^/]+)`));
  return new RegExp(`^${parts.join('')}$`);
}
