import type { Command } from 'commander';
import { type Config, readConfig } from '../config/config.ts';
import { messageOf, OperatorError, SetupError } from '../core/errors.ts';
import type { SignIn } from '../dashboard/session.ts';
import { MemoryAttemptLimiter } from '../limits/memory/attempt-limiter.ts';
import { emailArgument, type JsonOption, jsonOption } from './options.ts';
import { printNote, printResult } from './output.ts';
import { type Session, withAccount } from './session.ts';

const ADVICE = 'set PETSTORE_PORT or PETSTORE_DASHBOARD_URL as it has them.';

const RESET =
  'An operator of the service removed all your second factors and recovery codes, and ended your sessions.';

/** Adds the commands for holders who cannot sign in to their account. */
export function addSignInCommands(accounts: Command): void {
  accounts
    .command('reset-link')
    .description('Print a link that sets a new password; it works once, within an hour.')
    .addArgument(emailArgument())
    .addOption(jsonOption())
    .action(printResetLink);
  // For holders who have lost every second factor and recovery code.
  accounts
    .command('reset-second-factor')
    .description(
      'Remove all second factors of an account whose owner lost them, and end its sessions.',
    )
    .addArgument(emailArgument())
    .addOption(jsonOption())
    .action(resetSecondFactor);
}

async function printResetLink(email: string, options: JsonOption): Promise<void> {
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

/** The dashboard's sign-in; it sends no mail. */
export async function openSignIn({ stores, clock }: Session): Promise<SignIn> {
  const config = readConfig();
  const { dashboard } = config.addresses(config.port);
  if (new URL(dashboard).port === '0') {
    throw new SetupError(
      'Set PETSTORE_DASHBOARD_URL, or PETSTORE_PORT to other than 0: the link begins with it.',
    );
  }
  const attempts = new MemoryAttemptLimiter();
  const log = { info() {}, error: (_details: object, message: string) => printNote(message) };
  // Loaded here so that no other command waits for it.
  const { createSignIn } = await import('../dashboard/sign-in/sign-in.ts');
  const { operatorsNeedSecondFactor, signUpLimits } = config;
  const metrics = { recordSignIn() {}, recordRefusal() {} };
  const needed = { stores, attempts, operatorsNeedSecondFactor, signUpLimits, clock, log, metrics };
  return createSignIn({ ...needed, addresses: { dashboard }, mail: undefined });
}

async function resetSecondFactor(email: string, options: JsonOption): Promise<void> {
  await withAccount(email, async (account, session) => {
    const { stores, clock, by } = session;
    const change = { accountId: account.id, now: clock.now().wall, by };
    if (!(await stores.secondFactors.reset(change))) {
      throw new OperatorError(`${email} has no second factor.`);
    }
    printResult(
      options,
      { email: account.email, reset: true },
      `${email} has no second factor any more, and is signed out everywhere. The password is as it was.`,
    );
    await mailHolder(readConfig(), session, account.email);
  });
}

/** Notifies the holder where mail is sent; if that fails, the reset stays in effect. */
async function mailHolder(config: Config, { clock }: Session, email: string): Promise<void> {
  if (!config.mail) return;
  // Loaded here so that no other command waits for it.
  const { createMailer } = await import('../dashboard/sign-in/mailer.ts');
  const { Attempts } = await import('../dashboard/sign-in/attempts.ts');
  const attempts = new Attempts(new MemoryAttemptLimiter(), clock, config.signUpLimits);
  const { dashboard } = config.addresses(config.port);
  try {
    await createMailer(config.mail, dashboard, attempts).secondFactorChanged(email, RESET);
  } catch (error) {
    printNote(`The mail that tells ${email} was not sent: ${messageOf(error)}`);
  }
}
