import { OPERATION_IDS, OPERATIONS, type OperationId } from '../contract/operations.ts';

/** Where each environment serves its OpenAPI document, below its base address. */
export const DOCUMENT_PATH = '/openapi.json';

/** What a path serves. */
export interface Route {
  /** For the `Allow` header, and for a browser's preflight. */
  readonly allow: string;
  /** By method; HEAD stands beside every GET. */
  readonly operations: ReadonlyMap<string, OperationId>;
  /** Matches the path; its named groups are the path parameters. */
  readonly pattern: RegExp;
}

export interface RouteMatch {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

const ROUTES: readonly Route[] = [
  ...operationRoutes(),
  { allow: 'GET, HEAD, OPTIONS', operations: new Map(), pattern: pathPattern(DOCUMENT_PATH) },
];

/** The route that a path below the base address belongs to. */
export function matchRoute(path: string): RouteMatch | undefined {
  for (const route of ROUTES) {
    const match = route.pattern.exec(path);
    if (match) return { route, parameters: match.groups ?? {} };
  }
  return undefined;
}

function operationRoutes(): Route[] {
  const byPath = Map.groupBy(OPERATION_IDS, (id) => OPERATIONS[id].path);
  return Array.from(byPath, ([path, ids]) => {
    const operations = new Map<string, OperationId>();
    for (const id of ids) {
      const { method } = OPERATIONS[id];
      operations.set(method, id);
      if (method === 'GET') operations.set('HEAD', id);
    }
    return {
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
