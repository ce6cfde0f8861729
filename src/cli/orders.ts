import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { Environment } from '../core/environments.ts';
import { cancelOrder } from '../core/orders/order-cancellation.ts';
import {
  type AccountOrder,
  ORDER_STATUSES,
  type OrderStatus,
  orderFields,
} from '../core/orders/orders.ts';
import { emailArgument, environmentOption, type JsonOption, jsonOption } from './options.ts';
import { formatTime, printJson, printResult, printTable } from './output.ts';
import { requireAccount, type Session, withStores } from './session.ts';

/** Orders read at once, and accounts looked up at once. */
const AT_ONCE = 500;

interface OrderOptions extends JsonOption {
  readonly environment: Environment;
}

interface ListOptions extends OrderOptions {
  readonly status?: OrderStatus;
}

/** An order as it is printed. */
interface ListedOrder extends AccountOrder {
  /** The address of its account; `undefined` if the account is being deleted. */
  readonly email: string | undefined;
}

export function addOrdersCommands(program: Command): void {
  const orders = program.command('orders').description('Show and cancel orders of animals.');
  orders
    .command('list')
    .description('Show orders, the oldest first: of all accounts, or of one.')
    .addArgument(emailArgument().argOptional())
    .addOption(environmentOption())
    .addOption(new Option('--status <status>', 'only those').choices(ORDER_STATUSES))
    .addOption(jsonOption())
    .action(list);
  orders
    .command('cancel')
    .description(
      'Cancel an open order, so that its animal is available; on the audit log. Running servers show it within a second.',
    )
    .addArgument(new Argument('<id>', 'as in orders list').argParser(parseId))
    .addOption(environmentOption())
    .addOption(jsonOption())
    .action(cancel);
}

function parseId(text: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new InvalidArgumentError('Use the id of an order.');
}

async function list(
  email: string | undefined,
  { environment, status, json }: ListOptions,
): Promise<void> {
  await withStores(async (session) => {
    const account = email === undefined ? undefined : await requireAccount(session, email);
    const listed = await readOrders(session, environment, { accountId: account?.id, status });
    if (json) return printJson(listed.map(listedJson));
    printTable(
      ['ID', 'ANIMAL', 'STATUS', 'CREATED', 'UPDATED', 'ACCOUNT'],
      listed.map(({ id, petId, createdAt, updatedAt, accountId, ...order }) => [
        ...[String(id), String(petId), order.status, formatTime(createdAt), formatTime(updatedAt)],
        order.email ?? accountId,
      ]),
      `No such orders in ${environment}.`,
    );
  });
}

async function readOrders(
  { stores }: Session,
  environment: Environment,
  of: { readonly accountId: string | undefined; readonly status: OrderStatus | undefined },
): Promise<readonly ListedOrder[]> {
  const store = stores.environment(environment).orders;
  const listed: ListedOrder[] = [];
  for (let after = 0; ; ) {
    const { orders, more } = await store.listAll({ ...of, limit: AT_ONCE, after });
    const ids = [...new Set(orders.map(({ accountId }) => accountId))];
    const accounts = await stores.accounts.findAll(ids);
    const emails = new Map(accounts.map((account) => [account.id, account.email]));
    for (const order of orders) listed.push({ ...order, email: emails.get(order.accountId) });
    after = orders.at(-1)?.id ?? after;
    if (!more) return listed;
  }
}

function listedJson({ accountId, email, ...order }: ListedOrder) {
  return { ...orderFields(order), accountId, email: email ?? null };
}

async function cancel(id: number, { environment, ...options }: OrderOptions): Promise<void> {
  await withStores(async ({ stores, clock, by }) => {
    const { orders } = stores.environment(environment);
    const cancellation = { environment, id, by, now: clock.now() };
    const { petId, accountId } = await cancelOrder({ ...stores, orders }, cancellation);
    const result = { id, environment, petId, accountId, status: 'cancelled', by };
    printResult(
      options,
      result,
      `Order ${id} of ${environment} is cancelled. Animal ${petId} is available.`,
    );
  });
}
