import type { Command } from 'commander';
import { type Config, readConfig } from '../config/config.ts';
import { messageOf, OperatorError } from '../core/errors.ts';
import { MemoryAttemptCounts } from '../limits/memory/attempt-counts.ts';
import { emailArgument, type JsonOption, jsonOption } from './options.ts';
import { printNote, printResult } from './output.ts';
import { type Session, withAccount } from './session.ts';

const CHANGE =
  'An operator of the service removed all your second factors and recovery codes, and ended your sessions.';

/** The way out for somebody who lost every second factor and recovery code. */
export function addResetSecondFactorCommand(accounts: Command): void {
  accounts
    .command('reset-second-factor')
    .description('Remove all second factors of an account, and end its sessions.')
    .addArgument(emailArgument())
    .addOption(jsonOption())
    .action(resetSecondFactor);
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

/** Tells the holder where mail is sent; the reset stands whether this succeeds or not. */
async function mailHolder(config: Config, { clock }: Session, email: string): Promise<void> {
  if (!config.mail) return;
  // Loaded here so that no other command waits for it.
  const { createMailer } = await import('../dashboard/sign-in/mailer.ts');
  const { Attempts } = await import('../dashboard/sign-in/attempts.ts');
  const attempts = new Attempts(new MemoryAttemptCounts(), clock, config.signUpLimits);
  const { dashboard } = config.addresses(config.port);
  try {
    await createMailer(config.mail, dashboard, attempts).secondFactorChanged(email, CHANGE);
  } catch (error) {
    printNote(`The mail that tells ${email} was not sent: ${messageOf(error)}`);
  }
}
