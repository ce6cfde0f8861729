/** Limits that the server checks and the pages offer. */

/** The longest lifetime of a key that expires, in days. */
export const MAX_KEY_DAYS = 3_650;

/** Shortest and longest password, in code points. */
export const PASSWORD_LENGTHS = { least: 8, most: 128 } as const;

/** Accounts in one list for operators. */
export const MAX_ACCOUNTS = 50;

/** Active bans in one list for operators. */
export const MAX_BANS = 500;

/** Entries of the audit log on one page. A shorter page is the last one. */
export const AUDIT_PAGE_LENGTH = 50;

/** Security events of an account on one page. A shorter page is the last one. */
export const SECURITY_EVENTS_PAGE = 20;

/** Entries of the audit log in one CSV file. */
export const MAX_AUDIT_LINES = 10_000;
