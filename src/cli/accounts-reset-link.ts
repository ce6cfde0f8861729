import type { Command } from 'commander';
import { OperatorError } from '../core/errors.ts';
import { emailArgument, type JsonOption, jsonOption } from './options.ts';
import { printNote, printResult } from './output.ts';
import { withAccount } from './session.ts';
import { openSignIn } from './sign-in.ts';

const ADVICE = 'set PETSTORE_PORT or PETSTORE_DASHBOARD_URL as it has them.';

export function addResetLinkCommand(accounts: Command): void {
  accounts
    .command('reset-link')
    .description('Print a link that sets a new password; it works once, within an hour.')
    .addArgument(emailArgument())
    .addOption(jsonOption())
    .action(resetLink);
}

async function resetLink(email: string, options: JsonOption): Promise<void> {
  await withAccount(email, async (account, session) => {
    const { stores, clock, by } = session;
    const signIn = await openSignIn(session);
    const link = await signIn.resetLink(email);
    if (link === undefined) throw new OperatorError(`The account ${email} is gone.`);
    await stores.audit.record({
      at: clock.now().wall,
      by,
      action: 'account.reset_link_made',
      accountId: account.id,
      detail: account.email,
    });
    printResult(options, { email: account.email, link }, link);
    if (options.json) return;
    printNote(`It leads to ${new URL(link).origin}. Where the service is elsewhere, ${ADVICE}`);
  });
}
