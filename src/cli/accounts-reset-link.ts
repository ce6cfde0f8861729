import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { OperatorError, SetupError } from '../core/errors.ts';
import type { SignIn } from '../dashboard/session.ts';
import { MemoryAttemptCounts } from '../limits/memory/attempt-counts.ts';
import { emailArgument, type JsonOption, jsonOption } from './options.ts';
import { printNote, printResult } from './output.ts';
import { requireAccount, type Session, withStores } from './session.ts';

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
  await withStores(async (session) => {
    const account = await requireAccount(session, email);
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

/** The dashboard's sign-in; it sends no mail. */
async function openSignIn({ stores, clock }: Session): Promise<SignIn> {
  const config = readConfig();
  const dashboard = config.baseUrl('dashboard', config.port);
  if (new URL(dashboard).port === '0') {
    throw new SetupError(
      'Set PETSTORE_DASHBOARD_URL, or PETSTORE_PORT to other than 0: the link begins with it.',
    );
  }
  const attempts = new MemoryAttemptCounts();
  const log = { error: (_details: object, message: string) => printNote(message) };
  // Loaded here so that no other command waits for it.
  const { createSignIn } = await import('../dashboard/sign-in/sign-in.ts');
  const { operatorsNeedSecondFactor, signUpLimits } = config;
  const needed = { stores, attempts, operatorsNeedSecondFactor, signUpLimits, clock, log };
  return createSignIn({ ...needed, addresses: { dashboard }, mail: undefined });
}
