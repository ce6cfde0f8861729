/**
 * The steps of the schema that are written for both engines, after those of each engine's own list. Steps
 * are only ever appended, with a new minor release and a line in the changelog.
 */
export interface SharedStep {
  /** The files of a data folder that have the tables. */
  readonly file: 'accounts' | 'environment';
  readonly sqlite: readonly string[];
  /** Each may run again: on engines that commit every definition, a step can be cut off. */
  readonly postgres: readonly string[];
}

export const SHARED_STEPS: readonly SharedStep[] = [
  {
    // The changes themselves beside their number, made by the functions that change something.
    file: 'accounts',
    sqlite: [
      ...['account_changed', 'account_deleted', 'api_key_changed', 'ban_lifted'].map(
        (trigger) => `DROP TRIGGER ${trigger}`,
      ),
      "ALTER TABLE revision ADD COLUMN name TEXT NOT NULL DEFAULT 'changes'",
      `CREATE TABLE changes (
        revision INTEGER PRIMARY KEY,
        subject_kind TEXT NOT NULL,
        subject_id TEXT NOT NULL
      ) STRICT`,
    ],
    postgres: [
      `CREATE TABLE IF NOT EXISTS changes (
        revision BIGINT PRIMARY KEY,
        subject_kind TEXT NOT NULL,
        subject_id TEXT NOT NULL
      )`,
    ],
  },
  {
    // Addresses in lower case beside their spelling, sorted by code point, on both engines.
    file: 'accounts',
    sqlite: [
      'ALTER TABLE accounts ADD COLUMN written_as TEXT',
      'UPDATE accounts SET written_as = email, email = lower(email)',
    ],
    postgres: ['ALTER TABLE accounts ALTER COLUMN email TYPE TEXT COLLATE "C"'],
  },
  {
    // The first reply itself beside the id of the pet.
    file: 'environment',
    sqlite: [
      'ALTER TABLE idempotent_requests ADD COLUMN reply_status INTEGER',
      'ALTER TABLE idempotent_requests ADD COLUMN reply_body TEXT',
    ],
    postgres: [
      'ALTER TABLE idempotent_requests ADD COLUMN IF NOT EXISTS reply_status BIGINT',
      'ALTER TABLE idempotent_requests ADD COLUMN IF NOT EXISTS reply_body TEXT',
    ],
  },
];

/** The shared steps of one kind of data file. */
export function sqliteSteps(file: SharedStep['file']): string[] {
  return SHARED_STEPS.filter((step) => step.file === file).map(({ sqlite }) => sqlite.join(';\n'));
}
