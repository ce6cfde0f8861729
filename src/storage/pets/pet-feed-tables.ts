import type { Statements } from '../schema/migration-steps.ts';

/** The tables of the feed of changes of pets (`pet-feed.ts`). */
export const PET_FEED: Statements = {
  sqlite: [
    `CREATE TABLE pet_changes (
      number INTEGER PRIMARY KEY,
      pet_id INTEGER NOT NULL,
      old_status TEXT NOT NULL,
      new_status TEXT
    ) STRICT`,
  ],
  postgres: [
    `CREATE TABLE IF NOT EXISTS pet_changes (
      environment TEXT NOT NULL,
      number xid8 NOT NULL DEFAULT pg_current_xact_id(),
      pet_id BIGINT NOT NULL,
      old_status TEXT NOT NULL,
      new_status TEXT,
      PRIMARY KEY (environment, number, pet_id)
    )`,
    `CREATE TABLE IF NOT EXISTS deleted_pets (
      environment TEXT NOT NULL,
      bucket BIGINT NOT NULL,
      id BIGINT NOT NULL,
      PRIMARY KEY (environment, bucket, id)
    )`,
  ],
};

/** What PostgreSQL knows of the ids of an environment besides the pets and `deleted_pets`. */
export const TAKEN_IDS: Statements = {
  sqlite: [],
  postgres: [
    'CREATE TABLE IF NOT EXISTS taken_ids (environment TEXT PRIMARY KEY, id BIGINT NOT NULL)',
  ],
};
