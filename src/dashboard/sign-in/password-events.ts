import { ApiError } from '../../core/errors.ts';
import { inBackground, type SignInContext } from './context.ts';
import { translated } from './errors.ts';
import type { Holder } from './security-events.ts';

/** Records a changed password, and tells the holder of the account by mail, if mail is sent. */
export async function reportNewPassword(
  context: SignInContext,
  account: Holder,
  means: 'with the current password' | 'by a reset link',
): Promise<void> {
  const { events, client, mailer } = context;
  if (mailer) {
    const from = `${client.device}, from ${client.address}`;
    const change = `Your password was changed ${means} (${from}).`;
    inBackground(context, 'new password', () => mailer.passwordChanged(account.email, change));
  }
  await events.credentialEvent('password.changed', account, client, means);
}

/**
 * Runs an action that needs the password of the signed-in user, and reports a refused guess at it.
 * @param purpose of the action, after "to".
 * @throws whatever the action throws
 */
export async function withOwnPassword<T>(
  { events, client }: SignInContext,
  account: Holder,
  purpose: string,
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const refusal = translated(error);
    const code: unknown = refusal instanceof ApiError ? refusal.code : undefined;
    if (code === 'wrong_password') {
      events.passwordRefused(account, client, `wrong password to ${purpose}, in a session`);
    } else if (code === 'too_many_attempts') {
      events.passwordRefused(account, client, `too many attempts to ${purpose}, in a session`);
    }
    throw error;
  }
}
