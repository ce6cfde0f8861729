import type { Router } from '../http/target/router.ts';
import { DashboardError } from './errors.ts';

/**
 * The operation that a method and a path ask for.
 * @throws ApiError `not_found` or `method_not_allowed`
 */
export function findOperation<Operation>(
  router: Router<Operation>,
  method: string,
  path: string,
): { operation: Operation; parameters: Readonly<Record<string, string>> } {
  const match = router.match(path);
  if (!match) throw new DashboardError('not_found', 'Nothing is served at this path.');
  const { route, parameters } = match;
  const operation = route.operations.get(method);
  if (operation) return { operation, parameters };
  const headers = { Allow: route.allow };
  throw new DashboardError('method_not_allowed', `Use one of: ${route.allow}.`, { headers });
}
