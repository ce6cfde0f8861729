import type { OperationId } from '../../api/operations.ts';

/** A page that only services with an operation have. */
interface DependentPage {
  readonly path: string;
  readonly operation: OperationId;
  /** The class of a menu without it. */
  readonly absence: string;
}

const DEPENDENT_PAGES: readonly DependentPage[] = [
  { path: '/orders', operation: 'listOrders', absence: 'without-orders' },
];

/** Whether a service has a page of the application. @param operations the ids of those that it serves. */
export function isServedPage(path: string, operations: readonly string[]): boolean {
  return DEPENDENT_PAGES.every((page) => page.path !== path || operations.includes(page.operation));
}

/** The class of the menu of a service: which pages it does not have. @param operations the ids of those that it serves. */
export function unservedPages(operations: readonly string[]): string {
  return DEPENDENT_PAGES.filter(({ operation }) => !operations.includes(operation))
    .map(({ absence }) => absence)
    .join(' ');
}
