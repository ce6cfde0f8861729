import type { ApiName } from '../core/environments.ts';
import { Contract, type OperationId, type PublishedOperation } from './operations.ts';

/** All operations and schemas of this version. */
export const CONTRACT = new Contract();

/** Every operation of this version, by operation id, in the order of the OpenAPI document. */
export const OPERATIONS =
  // The entries are exactly those of `OperationId`; `Object.fromEntries` loses this type.
  Object.fromEntries(CONTRACT.operations.map((operation) => [operation.id, operation])) as Readonly<
    Record<OperationId, PublishedOperation>
  >;

export const OPERATION_IDS = Object.keys(OPERATIONS).filter((id): id is OperationId =>
  Object.hasOwn(OPERATIONS, id),
);

/** All operations of this version below a base address. */
export function operationsOf(name: ApiName): readonly PublishedOperation[] {
  return CONTRACT.operationsOf(name);
}
