/** The SMTP server that accepts mail, and the sender's address. */
export interface MailSettings {
  /** May hold a password. */
  readonly smtpUrl: string;
  readonly from: string;
  /** Whether mail is sent over TLS or not at all (STARTTLS, RFC 3207). */
  readonly requiresTls: boolean;
}
