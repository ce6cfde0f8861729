import type { Visitor } from '../support/browser.ts';
import type { Visitor as Customer } from '../support/dashboard-visitor.ts';
import type { TestService } from '../support/harness.ts';

/** The page with the animals of staging. */
export const STAGING = '/animals?environment=staging';

export function rows({ page }: Visitor) {
  return page.getByRole('table', { name: 'Animals' }).getByRole('row').filter({ hasText: /\d/ });
}

export function drawer({ page }: Visitor, id: number) {
  return page.getByRole('dialog', { name: `Animal ${id}` });
}

/** Adds animals to staging; each belongs to the customer, or to nobody. */
export function add(
  service: TestService,
  names: readonly string[],
  owner?: Customer,
): Promise<void> {
  const fields = { categoryId: 7, status: 'available', owner: owner?.accountId } as const;
  return service.stores
    .environment('staging')
    .pets.import(names.map((name) => ({ name, ...fields })));
}
