import { type Command, Option } from 'commander';
import { OperatorError } from '../core/errors.ts';
import { PLAN_NAMES } from '../core/plans.ts';
import { accountJson } from './account-json.ts';
import { addLimitOptions, type LimitOptions, requireSubscription } from './limit-options.ts';
import { emailArgument, jsonOption } from './options.ts';
import { printResult } from './output.ts';
import { withStores } from './session.ts';

export function addAccountsCreateCommand(accounts: Command): void {
  const command = accounts
    .command('create')
    .description('Create an account.')
    .addArgument(emailArgument())
    .addOption(new Option('--plan <plan>', 'the plan').choices(PLAN_NAMES).default('free'));
  addLimitOptions(command).addOption(jsonOption()).action(create);
}

async function create(email: string, options: LimitOptions & { plan: string }): Promise<void> {
  const subscription = requireSubscription(options.plan, options);
  await withStores(async ({ stores, clock, by }) => {
    const account = await stores.accounts.create(email, subscription, clock.now().wall, by);
    if (!account) throw new OperatorError(`${email} has an account already.`);
    const { id, plan } = account;
    printResult(options, accountJson(account), `Account ${id} is created, on plan ${plan}.`);
  });
}
