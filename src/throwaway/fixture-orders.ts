import type { XStatic } from 'typebox/schema';
import { PET_STATUS_OF } from '../core/orders/order-changes.ts';
import { isOpen, type OrderStatus } from '../core/orders/orders.ts';
import { DEFAULT_STATUS, type PetStatus } from '../core/pets/pets.ts';
import type { FixtureSchema } from './fixture-schema.ts';

type Properties = typeof FixtureSchema.properties;
type FixtureOrder = XStatic<Properties['orders']['properties']['production']['items']>;
type OrderedPet = Pick<XStatic<Properties['pets']['properties']['production']['items']>, 'status'>;

/** The status of an order without one. */
export const DEFAULT_ORDER_STATUS: OrderStatus = 'placed';

/** The status of an animal: the one that it has in the fixture, or what its last order makes it. */
export function statusOf(
  { status }: OrderedPet,
  last: Pick<FixtureOrder, 'status'> | undefined,
): PetStatus {
  if (status !== undefined) return status;
  return last ? PET_STATUS_OF[last.status ?? DEFAULT_ORDER_STATUS] : DEFAULT_STATUS;
}

/**
 * Problems of the orders of an environment: accounts and animals that the fixture does not have, and combinations that no
 * service comes to.
 * @param orders with `undefined` in place of malformed ones, as are the pets.
 * @param emails the addresses of accounts, in lower case.
 */
export function* problemsOfOrders(
  pointer: string,
  orders: ReadonlyArray<FixtureOrder | undefined>,
  pets: ReadonlyArray<OrderedPet | undefined>,
  emails: ReadonlySet<string>,
): Generator<{ readonly pointer: string; readonly text: string }> {
  const reserved = new Set<number>();
  for (const [index, order] of orders.entries()) {
    if (!order) continue;
    const { account, pet: place, status = DEFAULT_ORDER_STATUS } = order;
    if (!emails.has(account.toLowerCase())) {
      yield { pointer: `${pointer}/${index}/account`, text: 'must be the address of an account.' };
    }
    const problem = problemOfPet(place, status, pets, reserved);
    if (problem !== undefined) yield { pointer: `${pointer}/${index}/pet`, text: problem };
    if (isOpen(status)) reserved.add(place);
  }
}

function problemOfPet(
  place: number,
  status: OrderStatus,
  pets: ReadonlyArray<OrderedPet | undefined>,
  reserved: ReadonlySet<number>,
): string | undefined {
  if (place > pets.length) {
    return `must be the place of an animal of the same environment: it has ${pets.length}.`;
  }
  if (reserved.has(place)) return 'is an animal with an open order, so nobody can order it again.';
  const found = pets[place - 1]?.status;
  if (!isOpen(status) || found === undefined || found === 'pending') return undefined;
  return `is an animal with the status "${found}", but an open order makes it "pending".`;
}
