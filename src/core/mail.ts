/** Where mail is handed over, and who it is from. */
export interface MailSettings {
  /** May hold a password. */
  readonly smtpUrl: string;
  readonly from: string;
}
