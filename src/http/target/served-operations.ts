import type { Handler, Handlers } from '../handler.ts';
import { type ApiAddresses, lifecycleOf } from '../lifecycle.ts';
import type { Operation } from '../operation.ts';
import type { Reply } from '../reply/reply.ts';
import { type Route, type RouteMatch, Router, routesOf } from './router.ts';

/** Path of the OpenAPI document below each base address. */
export const DOCUMENT_PATH = '/openapi.json';
/** Path of the same document in YAML. */
export const YAML_DOCUMENT_PATH = '/openapi.yaml';

/** An operation of the contract with its handler. */
export interface ServedOperation extends Operation {
  readonly id: string;
  readonly handle: Handler;
  /** Sent with every reply of an operation that is deprecated or not stable. */
  readonly lifecycleHeaders: Reply['headers'];
}

export type OperationMatch = RouteMatch<ServedOperation>;

/** Documents are served before routing; these routes only list the allowed methods. */
const DOCUMENTS = [DOCUMENT_PATH, YAML_DOCUMENT_PATH].map(
  (path): Route<ServedOperation> => ({
    path,
    allow: 'GET, HEAD, OPTIONS',
    operations: new Map(),
  }),
);

/** Operations by id, and a handler for each. */
interface HandledOperations {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly handlers: Handlers<Record<string, Operation>>;
}

/** The routes of all operations below one base address. */
export function operationRouter(
  resources: readonly HandledOperations[],
  addresses: ApiAddresses,
): Router<ServedOperation> {
  const served = resources.flatMap(({ operations, handlers }) =>
    Object.entries(operations).map(([id, operation]): ServedOperation => {
      const handle = handlers[id];
      if (!handle) throw new Error(`The operation ${id} has no handler.`);
      const lifecycle = lifecycleOf(operation);
      const lifecycleHeaders = lifecycle.headers.length > 0 ? lifecycle.sent(addresses) : undefined;
      return { ...operation, id, handle, lifecycleHeaders };
    }),
  );
  return new Router([...DOCUMENTS, ...routesOf(served, ['OPTIONS'])]);
}
