/** Limits that the server checks and the pages offer. */

/** The longest lifetime of a key that expires, in days. */
export const MAX_KEY_DAYS = 3_650;

/** Shortest and longest password, in characters. */
export const PASSWORD_LENGTHS = { least: 8, most: 128 } as const;

/** Entries of the audit log in one CSV file. */
export const MAX_AUDIT_LINES = 10_000;
