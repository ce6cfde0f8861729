/** The pages that only services with an operation have, by the class of a menu without them. */
const OPERATIONS = { 'without-orders': 'createOrder' } as const;

/** The class of the menu of a service: which pages it does not have. */
export function unservedPages(operations: Iterable<{ readonly id: string }>): string {
  const served = new Set(Array.from(operations, ({ id }) => id));
  return Object.entries(OPERATIONS)
    .filter(([, operation]) => !served.has(operation))
    .map(([name]) => name)
    .join(' ');
}
