import type { MailSettings } from '../core/accounts/mail.ts';
import { isLoopback } from '../lib/ip-address.ts';
import type { SettingReader } from './setting-reader.ts';

/** The settings of mail; `undefined` if none is sent. */
export function readMail(reader: SettingReader): MailSettings | undefined {
  const smtpUrl = reader.smtpUrl('PETSTORE_SMTP_URL');
  const from = reader.sender('PETSTORE_MAIL_FROM');
  const mustEncrypt = reader.isRequired('PETSTORE_SMTP_TLS');
  if (reader.isGiven('PETSTORE_SMTP_URL') !== reader.isGiven('PETSTORE_MAIL_FROM')) {
    reader.problem('PETSTORE_SMTP_URL and PETSTORE_MAIL_FROM go together: set both or none.');
  }
  if (smtpUrl === undefined || from === undefined) return undefined;
  return { smtpUrl, from, requiresTls: mustEncrypt && beginsInClear(new URL(smtpUrl)) };
}

/** Whether connections to the mail server begin without TLS and leave this machine. */
function beginsInClear({ protocol, hostname }: URL): boolean {
  return protocol === 'smtp:' && !isLoopback(hostname.toLowerCase());
}
