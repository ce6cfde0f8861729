import { Argument, type Command } from 'commander';
import { PLAN_NAMES } from '../core/plans.ts';
import { accountJson } from './account-json.ts';
import { addLimitOptions, type LimitOptions, requireSubscription } from './limit-options.ts';
import { emailArgument, jsonOption } from './options.ts';
import { printResult } from './output.ts';
import { withAccount } from './session.ts';

export function addSetPlanCommand(accounts: Command): void {
  const command = accounts
    .command('set-plan')
    .description('Change the plan of an account; running servers apply it within a second.')
    .addArgument(emailArgument())
    .addArgument(new Argument('<plan>', 'the new plan').choices(PLAN_NAMES));
  addLimitOptions(command).addOption(jsonOption()).action(setPlan);
}

async function setPlan(email: string, plan: string, options: LimitOptions): Promise<void> {
  const subscription = requireSubscription(plan, options);
  await withAccount(email, async (account, { stores, clock, by }) => {
    await stores.accounts.setSubscription(account.id, subscription, clock.now().wall, by);
    const changed = accountJson({ ...account, ...subscription });
    printResult(options, changed, `${email} is on plan ${plan} now.`);
  });
}
