import type { MailSettings } from '../../core/mail.ts';
import { lazyImport } from '../../lib/lazy.ts';
import type { Attempts } from './attempts.ts';

/**
 * The mails of sign-in. Each call resolves when the mail is handed over, or dropped because of the
 * mailbox's limit.
 */
export interface Mailer {
  verifyAddress(email: string, token: string): Promise<void>;
  resetPassword(email: string, token: string): Promise<void>;
  /** Sent to the holder of an account whose address was used for another sign-up. */
  knownAddress(email: string): Promise<void>;
  /** @param change of a second factor, as a sentence. */
  secondFactorChanged(email: string, change: string): Promise<void>;
}

/** How long a mail server may take to respond, in ms. */
const TIMEOUT = 15_000;

/** @param dashboard address of the dashboard, without a trailing slash. */
export function createMailer(
  { smtpUrl, from }: MailSettings,
  dashboard: string,
  attempts: Attempts,
): Mailer {
  const loadTransport = lazyImport(() => import('nodemailer'));
  const send = async (to: string, subject: string, paragraphs: readonly string[]) => {
    // Each template has a different subject.
    if (!(await attempts.takeMail(subject, to))) return;
    const { createTransport } = await loadTransport();
    const transport = createTransport({
      url: smtpUrl,
      connectionTimeout: TIMEOUT,
      greetingTimeout: TIMEOUT,
      socketTimeout: TIMEOUT,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      // An object, so that the library does not look for several addresses or names in it.
      const recipient = { name: '', address: to };
      await transport.sendMail({
        from,
        to: recipient,
        subject,
        text: `${paragraphs.join('\n\n')}\n`,
      });
    } finally {
      transport.close();
    }
  };
  return {
    verifyAddress: (email, token) =>
      send(email, 'Confirm your e-mail address', [
        'Open this link within an hour to confirm your address and choose your password. It works once:',
        linkTo(dashboard, 'verify-email', token),
        'If you did not sign up, ignore this mail: nothing happens without the link.',
      ]),
    resetPassword: (email, token) =>
      send(email, 'Set a new password', [
        'Open this link within an hour to set a new password. It works once:',
        linkTo(dashboard, 'reset-password', token),
        'If you did not ask for it, ignore this mail: your password stays as it is.',
      ]),
    knownAddress: (email) =>
      send(email, 'You have an account already', [
        'Somebody signed up with your address, which has an account already. Nothing was changed.',
        `If it was you, sign in at ${dashboard}/sign-in, or set a new password at ${dashboard}/forgot-password.`,
      ]),
    secondFactorChanged: (email, change) =>
      send(email, 'Your second factor was changed', [
        change,
        `If it was not you, set a new password at ${dashboard}/forgot-password, then look at your second factors and sessions at ${dashboard}/account.`,
      ]),
  };
}

/**
 * The token is in the fragment, which browsers do not send, so it appears in no log and no
 * referrer.
 */
export function linkTo(
  dashboard: string,
  page: 'verify-email' | 'reset-password',
  token: string,
): string {
  return `${dashboard}/${page}#token=${token}`;
}
