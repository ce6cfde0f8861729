import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { SetupError } from '../core/errors.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { printJson, printLine } from './output.ts';

export function addMigrateStoreCommand(program: Command): void {
  program
    .command('migrate-store')
    .description(
      'Copy all data from the data folder to the empty database of PETSTORE_DATABASE_URL.',
    )
    .addOption(jsonOption())
    .action(run);
}

async function run({ json }: JsonOption): Promise<void> {
  const { dataDir, database } = readConfig();
  if (!database) {
    throw new SetupError('Set PETSTORE_DATABASE_URL to the database that everything goes to.');
  }
  const { SingleBar } = await import('cli-progress');
  const { migrateStore } = await import('../storage/store-migration/migrate-store.ts');
  const format = '{bar} {percentage}% | {value} of {total} rows carried over or compared';
  // Drawn on stderr, and only if that is a terminal.
  const bar = json ? undefined : new SingleBar({ format });
  const tables = await migrateStore(dataDir, database, {
    onStart: (rows) => bar?.start(rows, 0),
    onProgress: (rows) => bar?.update(rows),
  }).finally(() => bar?.stop());
  if (json) return printJson({ folder: dataDir, tables });
  for (const { name, rows, digest } of tables) {
    printLine(`${String(rows).padStart(10)} ${name.padEnd(36)} ${digest.slice(0, 16)}`);
  }
  printLine('Everything is in the database, and was compared row by row.');
  printLine(`Start the service as this was started. ${dataDir} is as it was: keep it for a while.`);
}
