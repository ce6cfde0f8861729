import { type Command, Option } from 'commander';
import { readConfig } from '../config/config.ts';
import type { Role } from '../core/accounts.ts';
import { accountJson } from './account-json.ts';
import { emailArgument, type JsonOption, jsonOption } from './options.ts';
import { COMMAND, printNote, printResult } from './output.ts';
import { withAccount } from './session.ts';

const SECOND_FACTOR_NOTE =
  'To change anything, the operator needs a second factor: sign in to the dashboard, and set up an authenticator app or a passkey on the Account page. On a machine of your own, PETSTORE_OPERATOR_SECOND_FACTOR=optional does without.';

const UNCONFIRMED_NOTE = `Whoever signed up with this address has the role now. If nobody confirmed that it is theirs, run: ${COMMAND} accounts reset-link`;

/** The only way to make operators: the dashboard gives the role to nobody. */
export function addSetOperatorCommand(accounts: Command): void {
  accounts
    .command('set-operator')
    .description("Let an account see and change the others', in the dashboard.")
    .addArgument(emailArgument())
    .addOption(new Option('--remove', 'take the role away'))
    .addOption(jsonOption())
    .action(setOperator);
}

async function setOperator(
  email: string,
  options: JsonOption & { readonly remove?: true },
): Promise<void> {
  const role: Role = options.remove ? 'customer' : 'operator';
  await withAccount(email, async (account, { stores, clock, by }) => {
    await stores.accounts.setRole(account.id, role, clock.now().wall, by);
    const now = options.remove ? 'no operator any more' : 'an operator now';
    printResult(options, accountJson({ ...account, role }), `${email} is ${now}.`);
    if (role !== 'operator' || options.json) return;
    printNote(UNCONFIRMED_NOTE);
    if (readConfig().operatorsNeedSecondFactor) printNote(SECOND_FACTOR_NOTE);
  });
}
