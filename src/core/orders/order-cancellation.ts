import type { Instant } from '../../lib/clock.ts';
import type { Actor, AuditLog } from '../accounts/audit.ts';
import type { Environment } from '../environments.ts';
import { OperatorError } from '../errors.ts';
import { accountTime } from '../sandbox/account-clock.ts';
import type { SandboxStore } from '../sandbox/sandbox-store.ts';
import type { OrderStore } from './order-store.ts';
import type { AccountOrder } from './orders.ts';

interface Dependencies {
  readonly orders: OrderStore;
  readonly sandboxes: Pick<SandboxStore, 'find'>;
  readonly audit: Pick<AuditLog, 'record'>;
}

/** The cancellation of an order by an operator. */
interface Cancellation {
  readonly environment: Environment;
  readonly id: number;
  readonly by: Actor;
  readonly now: Instant;
}

/**
 * Cancels an open order of any account, so that its pet is available again, and writes an audit entry.
 * @throws OperatorError when there is no such order, or it has ended.
 */
export async function cancelOrder(
  { orders, sandboxes, audit }: Dependencies,
  { environment, id, by, now }: Cancellation,
): Promise<AccountOrder> {
  const found = await orders.find(id);
  if (!found) throw new OperatorError(`${environment} has no order with the id ${id}.`);
  const { accountId } = found;
  // The times of an order are those of its account.
  const time = await accountTime(sandboxes, { accountId, environment }, now);
  const request = { id, accountId };
  const outcome =
    found.status === 'cancelled' ? undefined : await orders.update(request, 'cancelled', time);
  if (outcome?.kind !== 'updated') {
    const status = outcome?.kind === 'invalid_transition' ? outcome.from : found.status;
    throw new OperatorError(`Order ${id} of ${environment} is ${status}: it holds no animal.`);
  }
  const { petId } = outcome.order;
  const detail = `${environment} order ${id} for animal ${petId}`;
  await audit.record({ at: now.wall, by, action: 'order.cancelled', accountId, detail });
  return { accountId, ...outcome.order };
}
