import type { Command } from 'commander';
import { type Config, readConfig } from '../config/config.ts';
import { SetupError } from '../core/errors.ts';
import { UsageError } from './errors.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { printJson, printLine, printNote, printTable } from './output.ts';

interface DistributeOptions extends JsonOption {
  readonly check?: true;
  readonly yes?: true;
}

export function addDistributeCommand(program: Command): void {
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

async function distribute({ check, yes, json }: DistributeOptions): Promise<void> {
  if (!check && !yes) {
    throw new UsageError(
      'This spreads the tables over the nodes of Citus, and no command brings them back. All services on the database must be of this release. Repeat it with --yes, or with --check to look.',
    );
  }
  const { servers } = requireDatabase(readConfig());
  // Loaded here so that no other command waits for it.
  const database = await import('../storage/postgres/distribute.ts');
  if (!check) {
    await database.distributeDatabase(servers, (name, done, tables) => {
      if (!json) printNote(`${done + 1} of ${tables}: ${name}`);
    });
  }
  const distribution = await database.describeDistribution(servers);
  if (json) return printJson(distribution);
  const size = (bytes: number) => (bytes / 1024 ** 2).toFixed(1);
  printTable(
    ['TABLE', 'DISTRIBUTED BY', 'SHARDS', 'MIB'],
    distribution.tables.map(({ name, distributedBy, shards, bytes }) => [
      ...[name, distributedBy, String(shards), size(bytes)],
    ]),
    'No table is distributed.',
  );
  printLine('');
  printTable(
    ['NODE', 'SHARDS', 'MIB'],
    distribution.nodes.map(({ node, shards, bytes }) => [node, String(shards), size(bytes)]),
    'No node has any shard.',
  );
  const { missing } = distribution;
  if (missing.length > 0) printLine(`\nNot distributed: ${missing.join(', ')}.`);
}

function requireDatabase({ database }: Config) {
  if (database) return database;
  throw new SetupError('Set PETSTORE_DATABASE_URL to the database whose tables are distributed.');
}
