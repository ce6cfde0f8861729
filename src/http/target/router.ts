/** The method and path of an operation. */
export interface Endpoint {
  readonly method: string;
  /** Below the base address, with `{parameters}`. */
  readonly path: string;
}

/** A path with its operations. */
export interface Route<Operation> {
  readonly path: string;
  /** The value of the `Allow` header, and of the reply to a preflight. */
  readonly allow: string;
  /** By method; a GET also serves HEAD. */
  readonly operations: ReadonlyMap<string, Operation>;
}

export interface RouteMatch<Operation> {
  readonly route: Route<Operation>;
  /** Path parameters by name; still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Finds the route of a path below a base address. */
export class Router<Operation> {
  /** Paths without parameters, which are found without a search. */
  readonly #fixed = new Map<string, RouteMatch<Operation>>();
  /** Paths with parameters, each with its pattern; the named groups are the path parameters. */
  readonly #patterns: Array<readonly [RegExp, Route<Operation>]> = [];

  constructor(routes: Iterable<Route<Operation>>) {
    for (const route of routes) {
      const { path } = route;
      if (path.includes('{')) this.#patterns.push([pathPattern(path), route]);
      else this.#fixed.set(path, { route, parameters: {} });
      // The base address itself, without a trailing slash.
      if (path === '/') this.#fixed.set('', { route, parameters: {} });
    }
  }

  /** The paths of all routes, with `{parameters}`. */
  servedPaths(): string[] {
    return [...this.#fixed.keys(), ...this.#patterns.map(([, { path }]) => path)];
  }

  match(path: string): RouteMatch<Operation> | undefined {
    const fixed = this.#fixed.get(path);
    if (fixed) return fixed;
    for (const [pattern, route] of this.#patterns) {
      const match = pattern.exec(path);
      if (match) return { route, parameters: match.groups ?? {} };
    }
    return undefined;
  }
}

/**
 * Groups operations by path.
 * @param otherMethods methods that every path allows in addition to those of its operations.
 */
export function routesOf<Operation extends Endpoint>(
  operations: Iterable<Operation>,
  otherMethods: readonly string[] = [],
): Route<Operation>[] {
  const byPath = Map.groupBy(operations, ({ path }) => path);
  return Array.from(byPath, ([path, operationsOfPath]) => {
    const byMethod = new Map<string, Operation>();
    for (const operation of operationsOfPath) {
      byMethod.set(operation.method, operation);
      if (operation.method === 'GET') byMethod.set('HEAD', operation);
    }
    return { path, allow: [...byMethod.keys(), ...otherMethods].join(', '), operations: byMethod };
  });
}

function pathPattern(path: string): RegExp {
  // Splitting puts literal text at even positions and parameter names at odd ones.
  const parts = path
    .split(/\{(\w+)\}/)
    .map((part, index) => (index % 2 === 0 ? RegExp.escape(part) : `(?<${part}>[^/]+)`));
  return new RegExp(`^${parts.join('')}$`);
}
