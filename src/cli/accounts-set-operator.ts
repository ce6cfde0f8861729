import { type Command, Option } from 'commander';
import type { Role } from '../core/accounts.ts';
import { report } from './accounts-report.ts';
import { emailArgument, jsonOption } from './options.ts';
import { printNote } from './output.ts';
import { requireAccount, withStores } from './session.ts';

const WHO_IS_IT =
  'Whoever signed up with this address has the role now. If nobody confirmed that it is theirs, run: petstore accounts reset-link';

/** Who operators are is said here alone: the dashboard gives the role to nobody. */
export function addSetOperatorCommand(accounts: Command): void {
  accounts
    .command('set-operator')
    .description("Let an account see and change the others', in the dashboard.")
    .addArgument(emailArgument())
    .addOption(new Option('--remove', 'take the role away'))
    .addOption(jsonOption())
    .action(setOperator);
}

async function setOperator(email: string, options: { remove?: true; json?: true }): Promise<void> {
  const role: Role = options.remove ? 'customer' : 'operator';
  await withStores(async (session) => {
    const account = await requireAccount(session, email);
    const { stores, clock, by } = session;
    await stores.accounts.setRole(account.id, role, clock.now().wall, by);
    const now = options.remove ? 'no operator any more' : 'an operator now';
    report({ ...account, role }, options, `${email} is ${now}.`);
    if (role === 'operator' && !options.json) printNote(WHO_IS_IT);
  });
}
