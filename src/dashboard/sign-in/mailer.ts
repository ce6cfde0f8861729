import type { MailSettings } from '../../core/accounts/mail.ts';
import { messageOf } from '../../core/errors.ts';
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
  /** @param change of the password, as a sentence. */
  passwordChanged(email: string, change: string): Promise<void>;
  /** @param change of a second factor, as a sentence. */
  secondFactorChanged(email: string, change: string): Promise<void>;
}

/** How long a mail server may take to respond, in ms. */
const TIMEOUT = 15_000;

/** Parameters of a mail server's address with which the library would do without TLS. */
const TLS_PARAMETERS = ['requireTLS', 'ignoreTLS', 'opportunisticTLS'];

/** @param dashboard address of the dashboard, without a trailing slash. */
export function createMailer(
  settings: MailSettings,
  dashboard: string,
  attempts: Attempts,
): Mailer {
  const loadTransport = lazyImport(() => import('nodemailer'));
  const send = async (to: string, subject: string, paragraphs: readonly string[]) => {
    // Each template has a different subject.
    if (!(await attempts.takeMail(subject, to))) return;
    const { createTransport } = await loadTransport();
    const transport = createTransport(transportOptions(settings));
    const { from } = settings;
    try {
      // An object, so that the library does not look for several addresses or names in it.
      const recipient = { name: '', address: to };
      await transport.sendMail({
        from,
        to: recipient,
        subject,
        text: `${paragraphs.join('\n\n')}\n`,
      });
    } catch (error) {
      throw explained(error, settings);
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
    passwordChanged: (email, change) =>
      send(email, 'Your password was changed', [
        change,
        `If it was not you, set a new password at ${dashboard}/forgot-password, then look at your second factors and sessions at ${dashboard}/account.`,
      ]),
    secondFactorChanged: (email, change) =>
      send(email, 'Your second factor was changed', [
        change,
        `If it was not you, set a new password at ${dashboard}/forgot-password, then look at your second factors and sessions at ${dashboard}/account.`,
      ]),
  };
}

/** The options of the library. */
function transportOptions({ smtpUrl, requiresTls }: MailSettings) {
  const url = new URL(smtpUrl);
  if (requiresTls) for (const name of TLS_PARAMETERS) url.searchParams.delete(name);
  return {
    url: url.href,
    requireTLS: requiresTls,
    connectionTimeout: TIMEOUT,
    greetingTimeout: TIMEOUT,
    socketTimeout: TIMEOUT,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The error with what to do about it, where the mail server has no STARTTLS. */
function explained(error: unknown, { requiresTls }: MailSettings): unknown {
  if (!requiresTls || !messageOf(error).includes('STARTTLS')) return error;
  return new Error(
    'The mail server offers no STARTTLS, so nothing was sent to it. Use smtps:// in PETSTORE_SMTP_URL, or set PETSTORE_SMTP_TLS=optional to send links in clear.',
    { cause: error },
  );
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
