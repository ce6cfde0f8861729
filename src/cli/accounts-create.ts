import { type Command, Option } from 'commander';
import { OperatorError } from '../core/errors.ts';
import { PLAN_NAMES, type Subscription } from '../core/plans.ts';
import { accountJson } from './account-json.ts';
import { UsageError } from './errors.ts';
import { addLimitOptions, type LimitOptions, requireSubscription } from './limit-options.ts';
import { emailArgument, jsonOption, parseCount } from './options.ts';
import { printResult } from './output.ts';
import { withStores } from './session.ts';

/** The end of addresses that are made up; it belongs to nobody (RFC 2606). */
const DOMAIN = 'example.com';

interface CreateOptions extends LimitOptions {
  readonly plan: string;
  readonly count?: number;
  readonly prefix?: string;
  readonly domain?: string;
}

export function addAccountsCreateCommand(accounts: Command): void {
  const command = accounts
    .command('create')
    .description(
      'Create an account, or many for a workshop, with a sheet of links and keys as CSV.',
    )
    .addArgument(emailArgument().argOptional())
    .addOption(new Option('--plan <plan>', 'the plan').choices(PLAN_NAMES).default('free'))
    .addOption(new Option('--count <n>', 'create so many instead').argParser(parseCount))
    .option('--prefix <text>', 'what their addresses begin with, such as class-')
    .option('--domain <name>', `what their addresses end with, unless ${DOMAIN}`);
  addLimitOptions(command).addOption(jsonOption()).action(create);
}

async function create(email: string | undefined, options: CreateOptions): Promise<void> {
  const subscription = requireSubscription(options.plan, options);
  const { count, prefix, domain } = options;
  const isMany = [count, prefix, domain].some((each) => each !== undefined);
  if (email !== undefined && !isMany) return createOne(email, subscription, options);
  if (email !== undefined || count === undefined || prefix === undefined) {
    throw new UsageError('Give an e-mail address, or both --count and --prefix.');
  }
  // Loaded here so that no other command waits for it.
  const { createMany } = await import('./accounts-create-many.ts');
  await createMany(subscription, { ...options, count, prefix, domain: domain ?? DOMAIN });
}

async function createOne(
  email: string,
  subscription: Subscription,
  options: CreateOptions,
): Promise<void> {
  await withStores(async ({ stores, clock, by }) => {
    const account = await stores.accounts.create(email, subscription, clock.now().wall, by);
    if (!account) throw new OperatorError(`${email} has an account already.`);
    const { id, plan } = account;
    printResult(options, accountJson(account), `Account ${id} is created, on plan ${plan}.`);
  });
}
