import type { Command } from 'commander';
import { type Config, type DatabaseSettings, readConfig } from '../config/config.ts';
import { OperatorError, SetupError } from '../core/errors.ts';
import type { Distribution, Shards } from '../storage/postgres/distribute.ts';
import { UsageError } from './errors.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { printJson, printLine, printNote, printTable } from './output.ts';

interface DistributeOptions extends JsonOption {
  readonly check?: true;
  readonly yes?: true;
}

/** Adds the commands that prepare a PostgreSQL database. */
export function addDatabaseCommands(program: Command): void {
  program
    .command('migrate-store')
    .description(
      'Copy all data from the data folder of a stopped service to the empty database of PETSTORE_DATABASE_URL, and compare the two; resumes after an interruption.',
    )
    .addOption(jsonOption())
    .action(migrate);
  program
    .command('distribute')
    .description(
      'Spread the tables of PETSTORE_DATABASE_URL over the nodes of Citus, while services use it.',
    )
    .option('--check', 'only show what is distributed, and how much each node has')
    .option('--yes', 'really distribute; there is no way back')
    .addOption(jsonOption())
    .action(distribute);
}

async function migrate({ json }: JsonOption): Promise<void> {
  const config = readConfig();
  const { dataDir, previousSecrets } = config;
  const database = requireDatabase(config, 'the database that everything goes to');
  const { SingleBar } = await import('cli-progress');
  const { migrateStore } = await import('../storage/store-migration/migrate-store.ts');
  const format = '{bar} {percentage}% | {value} of {total} rows carried over or compared';
  // Shown on stderr, and only if that is a terminal.
  const bar = json ? undefined : new SingleBar({ format });
  const tables = await migrateStore(
    dataDir,
    { ...database, previousSecrets },
    {
      onStart: (rows) => bar?.start(rows, 0),
      onProgress: (rows) => bar?.update(rows),
    },
  ).finally(() => bar?.stop());
  if (json) return printJson({ folder: dataDir, tables });
  for (const { name, rows, digest } of tables) {
    printLine(`${String(rows).padStart(10)} ${name.padEnd(36)} ${digest.slice(0, 16)}`);
  }
  printLine('Everything is in the database, and was compared row by row.');
  printLine(
    `Start the service with the same settings. The data in ${dataDir} is unchanged: keep it for a while. Releases older than this one may no longer open it.`,
  );
}

async function distribute({ check, yes, json }: DistributeOptions): Promise<void> {
  if (!check && !yes) {
    throw new UsageError(
      'This spreads the tables over the nodes of Citus, and no command brings them back. All services on the database must be of this release. Repeat it with --yes, or with --check to look.',
    );
  }
  const { servers } = requireDatabase(readConfig(), 'the database whose tables are distributed');
  // Loaded here so that no other command waits for it.
  const database = await import('../storage/postgres/distribute.ts');
  if (!check) {
    await database.distributeDatabase(servers, (name, done, tables) => {
      if (!json) printNote(`${done + 1} of ${tables}: ${name}`);
    });
  }
  const distribution = await database.describeDistribution(servers);
  if (json) printJson(distribution);
  else printDistribution(distribution);
  const { lost } = distribution;
  if (lost.length === 0) return;
  throw new OperatorError(
    `The coordinator cannot reach ${lost.join(', ')}, so sizes there are unknown. Start the server, or promote its standby.`,
  );
}

function printDistribution({ tables, nodes, missing }: Distribution): void {
  const sizes = ({ shards, bytes }: Shards) => [
    String(shards),
    bytes === null ? '-' : (bytes / 1024 ** 2).toFixed(1),
  ];
  printTable(
    ['TABLE', 'DISTRIBUTED BY', 'SHARDS', 'MIB'],
    tables.map((table) => [table.name, table.distributedBy, ...sizes(table)]),
    'No table is distributed.',
  );
  printLine('');
  printTable(
    ['NODE', 'SHARDS', 'MIB'],
    nodes.map((each) => [each.node, ...sizes(each)]),
    'No node has any shard.',
  );
  if (missing.length > 0) printLine(`\nNot distributed: ${missing.join(', ')}.`);
}

/**
 * @param purpose the use of the database, for the error message.
 * @throws SetupError when no database is set.
 */
function requireDatabase({ database }: Config, purpose: string): DatabaseSettings {
  if (database) return database;
  throw new SetupError(`Set PETSTORE_DATABASE_URL to ${purpose}.`);
}
