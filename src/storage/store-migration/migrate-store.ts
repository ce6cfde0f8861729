import type { DatabaseAddresses } from '../../config/postgres-address.ts';
import type { Environment } from '../../core/environments.ts';
import { OperatorError } from '../../core/errors.ts';
import { knowsLatestSecret, secretsOf } from '../../core/keys/secrets.ts';
import { type DataFolder, dataFolderAt } from '../data-folder.ts';
import { isThere } from '../folder/file-failures.ts';
import { PostgresDatabase } from '../postgres/database.ts';
import { migrate } from '../postgres/migrate.ts';
import { requirePrimary } from '../postgres/primary.ts';
import { Destination } from './destination.ts';
import { RowsDigest } from './digest.ts';
import { Source } from './source.ts';
import { TABLES, type Table, titleOf, type Value } from './tables.ts';

/**
 * Rows per transaction. The widest table, `key_usage`, has 46 columns: 46,000 of the 65,535 values that a statement may
 * have.
 */
const BATCH = 1_000;

/** The database, and the secrets of the processes that will use it. */
interface Target {
  readonly servers: DatabaseAddresses;
  readonly secret: string;
  readonly previousSecrets: readonly Buffer[];
}

/** Progress of the migration. */
interface MigrationEvents {
  /** @param rows how many rows there are to migrate and to compare. */
  onStart(rows: number): void;
  /** @param rows how many rows have been migrated or compared so far, by all runs. */
  onProgress(rows: number): void;
}

/** A migrated table, which is the same in both databases. */
interface MigratedTable {
  readonly name: string;
  readonly rows: number;
  /** Digest of all rows, independent of their order: 64 hexadecimal digits. */
  readonly digest: string;
}

/**
 * Migrates the content of a data folder to an empty PostgreSQL database, then reads and compares both. An interrupted
 * migration is continued. No rows of the folder are changed, but its databases are migrated to the schema of this
 * release, and missing ones are created.
 * @throws OperatorError when the folder is in use, its API keys were created with another secret, the database has
 * other content, or the two differ at the end.
 * @throws SetupError when either cannot be used.
 * @throws StorageUnavailable when the database becomes unavailable.
 */
export async function migrateStore(
  dataDir: string,
  to: Target,
  events: MigrationEvents,
): Promise<MigratedTable[]> {
  const folder = dataFolderAt(dataDir);
  if (!isThere(folder.accounts)) throw new OperatorError(`${folder.path} holds no data.`);
  using source = new Source(folder);
  requireSecrets(source, folder, to);
  const primary = await requirePrimary(to.servers);
  await migrate(primary);
  const database = new PostgresDatabase(primary, to.servers);
  try {
    const destination = new Destination(database);
    await destination.begin();
    const progress = countProgress(source, events);
    for (const table of TABLES) await copyTable(table, source, destination, progress);
    const migrated: MigratedTable[] = [];
    for (const table of TABLES) migrated.push(await compare(table, source, destination, progress));
    await destination.finish(highestPetIds(source));
    return migrated;
  } finally {
    await database.close();
  }
}

/** With other secrets keys would be refused after the migration. */
function requireSecrets(source: Source, folder: DataFolder, to: Target): void {
  const secrets = secretsOf(Buffer.from(to.secret), to.previousSecrets);
  if (!knowsLatestSecret(secrets, source.fingerprints())) {
    throw new OperatorError(
      `The API keys in ${folder.path} were made with another secret. Set PETSTORE_SECRET to what the service has had: what is in ${folder.secret}, unless it was set.`,
    );
  }
  const refused = source.needsOthers(secrets);
  if (refused === 0) return;
  throw new OperatorError(
    `${refused} API keys and second factors in ${folder.path} need a previous secret. Set PETSTORE_PREVIOUS_SECRETS to what the service has had: what is in ${folder.previousSecrets}, separated by commas, unless it was set.`,
  );
}

function countProgress(source: Source, events: MigrationEvents): (rows: number) => void {
  const rows = TABLES.reduce((sum, table) => sum + source.count(table), 0);
  let done = 0;
  // Each row is migrated and compared.
  events.onStart(2 * rows);
  return (more) => {
    done += more;
    events.onProgress(done);
  };
}

function highestPetIds(source: Source): Map<Environment, bigint> {
  const tables = TABLES.filter(({ name }) => name === 'pets');
  const highest = new Map<Environment, bigint>();
  for (const table of tables) {
    if (table.file !== 'accounts') highest.set(table.file, source.highest(table, 'id'));
  }
  return highest;
}

async function copyTable(
  table: Table,
  source: Source,
  destination: Destination,
  onRows: (rows: number) => void,
): Promise<void> {
  let progress = await destination.progress(table);
  onRows(progress.rows);
  for (;;) {
    const rows = source.rowsAfter(table, progress.after, BATCH);
    if (rows.length === 0) break;
    progress = await destination.add(table, rows, progress);
    onRows(rows.length);
  }
  const { sequence } = table;
  if (sequence)
    await destination.continueAfter(sequence.name, source.highest(table, sequence.column));
}

async function compare(
  table: Table,
  source: Source,
  destination: Destination,
  onRows: (rows: number) => void,
): Promise<MigratedTable> {
  const here = await digestOf(table, async (after) => source.rowsAfter(table, after, BATCH));
  const there = await digestOf(table, (after) => destination.rowsAfter(table, after, BATCH));
  onRows(here.rows);
  if (here.rows === there.rows && here.value === there.value) {
    return { name: titleOf(table), rows: here.rows, digest: here.value };
  }
  throw new OperatorError(
    `${titleOf(table)}: the folder has ${here.rows} rows, the database ${there.rows}, and they are not the same. ` +
      'Was the folder used between two runs? Empty the database and run this again.',
  );
}

async function digestOf(
  { keyLength }: Table,
  rowsAfter: (after: readonly Value[] | undefined) => Promise<Value[][]>,
): Promise<RowsDigest> {
  const digest = new RowsDigest();
  let after: readonly Value[] | undefined;
  for (;;) {
    const rows = await rowsAfter(after);
    for (const row of rows) digest.add(row);
    after = rows.at(-1)?.slice(0, keyLength);
    if (after === undefined) return digest;
  }
}
