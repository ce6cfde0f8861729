import type { SQL } from 'bun';
import { ENVIRONMENTS, type Environment } from '../../core/environments.ts';
import { BUCKET_SIZE } from './buckets.ts';

/** The number of pets whose bucket is set in one statement, which then takes well under a second. */
const FILLED_AT_ONCE = 20_000;

/** The same as `bucketOf`; ids are positive. */
const BUCKET = `id / ${BUCKET_SIZE}`;
const CHECK = `CHECK (bucket IS NOT NULL AND bucket = ${BUCKET})`;

/** A column that is set in every new row, whichever release inserts it. */
const COLUMN = [
  'ALTER TABLE pets ADD COLUMN IF NOT EXISTS bucket BIGINT',
  `CREATE OR REPLACE FUNCTION pets_bucket() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN NEW.bucket := NEW.${BUCKET}; RETURN NEW; END $$`,
  // Earlier releases do not set the bucket.
  `CREATE OR REPLACE TRIGGER pets_bucket BEFORE INSERT ON pets FOR EACH ROW
     WHEN (NEW.bucket IS NULL) EXECUTE FUNCTION pets_bucket()`,
];

const CHECKED = [
  unlessConstraint(
    'pets_bucket_check',
    `ALTER TABLE pets ADD CONSTRAINT pets_bucket_check ${CHECK} NOT VALID`,
  ),
  'ALTER TABLE pets VALIDATE CONSTRAINT pets_bucket_check',
];

/**
 * The column `bucket` of pets, which is part of the primary key because a sharded database detects duplicates only
 * among rows of the same shard. The id comes first, so that statements of earlier releases, which do not use the
 * bucket, stay as fast as before.
 */
export const PET_BUCKETS = [
  ...COLUMN,
  ...CHECKED,
  'ALTER TABLE pets ALTER COLUMN bucket SET NOT NULL',
  'CREATE UNIQUE INDEX IF NOT EXISTS pets_by_id ON pets (environment, id, bucket)',
  unlessConstraint(
    'pets_by_id',
    `ALTER TABLE pets DROP CONSTRAINT IF EXISTS pets_pkey,
       ADD CONSTRAINT pets_by_id PRIMARY KEY USING INDEX pets_by_id`,
  ),
];

/**
 * Runs the slow part of `PET_BUCKETS` while other processes use the table: no lock that blocks creating or listing
 * pets is held for longer than one statement. Continues where it was interrupted.
 */
export async function addBucketsOnline(connection: SQL): Promise<void> {
  for (const statement of COLUMN) await connection.unsafe(statement);
  for (const environment of ENVIRONMENTS) await fillBuckets(connection, environment);
  for (const statement of CHECKED) await connection.unsafe(statement);
  await makeIndex(connection);
}

async function fillBuckets(connection: SQL, environment: Environment): Promise<void> {
  let after = 0;
  for (;;) {
    const [row] = await connection.unsafe<{ last: number | null }[]>(
      `SELECT max(id)::float8 AS last FROM (
         SELECT id FROM pets WHERE environment = $1 AND id > $2 ORDER BY id LIMIT ${FILLED_AT_ONCE}
       ) AS part`,
      [environment, after],
    );
    if (!row || row.last === null) return;
    await connection.unsafe(
      `UPDATE pets SET bucket = ${BUCKET}
       WHERE environment = $1 AND id > $2 AND id <= $3 AND bucket IS NULL`,
      [environment, after, row.last],
    );
    after = row.last;
  }
}

async function makeIndex(connection: SQL): Promise<void> {
  const [index] = await connection.unsafe<{ valid: boolean }[]>(
    "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('pets_by_id')",
  );
  if (index?.valid) return;
  // An invalid index was left behind by an interrupted process.
  if (index) await connection.unsafe('DROP INDEX CONCURRENTLY pets_by_id');
  await connection.unsafe(
    'CREATE UNIQUE INDEX CONCURRENTLY pets_by_id ON pets (environment, id, bucket)',
  );
}

function unlessConstraint(name: string, statement: string): string {
  return `DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_constraint
      WHERE conname = '${name}' AND conrelid = 'pets'::regclass) THEN ${statement}; END IF;
  END $$`;
}
