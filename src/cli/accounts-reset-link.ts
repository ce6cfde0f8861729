import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { OperatorError } from '../core/errors.ts';
import { emailArgument, jsonOption } from './options.ts';
import { printJson, printLine, printNote } from './output.ts';
import { requireAccount, withStores } from './session.ts';

const ADVICE = 'set PETSTORE_PORT or PETSTORE_DASHBOARD_URL as it has them.';

export function addResetLinkCommand(accounts: Command): void {
  accounts
    .command('reset-link')
    .description('Print a link that sets a new password; it works once, within an hour.')
    .addArgument(emailArgument())
    .addOption(jsonOption())
    .action(resetLink);
}

async function resetLink(email: string, options: { json?: true }): Promise<void> {
  await withStores(async (session) => {
    const account = await requireAccount(session, email);
    const { stores, clock, by } = session;
    // Loaded by this command alone: no other has to wait for it.
    const { openSignIn } = await import('./sign-in.ts');
    const log = { error: (_details: object, message: string) => printNote(message) };
    const signIn = await openSignIn(readConfig(), stores, clock, log);
    const link = await signIn.resetLink(email);
    if (link === undefined) throw new OperatorError(`The account ${email} is gone.`);
    await stores.audit.record({
      at: clock.now().wall,
      by,
      action: 'account.reset_link_made',
      accountId: account.id,
      detail: account.email,
    });
    if (options.json) printJson({ email: account.email, link });
    else {
      printLine(link);
      printNote(`It leads to ${new URL(link).origin}. Where the service is elsewhere, ${ADVICE}`);
    }
  });
}
