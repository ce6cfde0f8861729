import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { type Config, readConfig } from '../config/config.ts';
import { messageOf } from '../core/errors.ts';
import { systemClock } from '../lib/clock.ts';
import type { BackupManifest } from '../storage/backup/archive.ts';
import { createBackup } from '../storage/backup/create.ts';
import { createDatedBackup } from '../storage/backup/dated.ts';
import { recordBackup } from '../storage/backup/record.ts';
import { restoreBackup } from '../storage/backup/restore.ts';
import { type Verified, verifyBackup } from '../storage/backup/verify.ts';
import { UsageError } from './errors.ts';
import { type JsonOption, jsonOption, parseCount } from './options.ts';
import { printJson, printLine, printNote, printResult, printTable } from './output.ts';
import { requireEmbeddedStore } from './session.ts';

interface Options extends JsonOption {
  readonly to?: string;
  readonly keep?: number;
}

export function addBackupCommands(program: Command): void {
  const backup = program
    .command('backup')
    .description('Write all data into one file; also while the service runs.')
    .argument('[file]', 'a new file; keep it as safe as the data folder, it holds the secret')
    .option('--to <folder>', 'write a file named by its date into this folder instead')
    .addOption(
      new Option(
        '--keep <count>',
        'with --to: how many whole backups of this store stay there',
      ).argParser(parseCount),
    )
    .addOption(jsonOption())
    .action(backUp);
  backup
    .command('verify')
    .description('Check a whole backup and show what it holds; changes nothing.')
    .argument('<file>', 'made by petstore backup; unpacked into a temporary folder for it')
    .addOption(jsonOption())
    .action(async (file: string, _: unknown, command: Command) => {
      const verified = await verifyBackup(file);
      // The parent command has the same option, so commander passes it there.
      if (command.optsWithGlobals()['json']) printJson(verified);
      else printVerified(verified);
    });
  program
    .command('restore')
    .description('Put a backup into the data folder. The service must be stopped.')
    .argument('<file>', 'made by petstore backup')
    .option('--replace', 'move what the data folder holds into a folder within it first')
    .addOption(jsonOption())
    .action(restore);
}

async function backUp(file: string | undefined, options: Options): Promise<void> {
  const { to, keep } = options;
  if ((file === undefined) === (to === undefined)) {
    throw new UsageError('Name either a new file, or a folder with --to.');
  }
  if (keep !== undefined && to === undefined) throw new UsageError('--keep goes with --to.');
  const config = readConfig();
  if (to !== undefined) return backUpByDate(config, to, options);
  if (file === undefined) return;
  // Loaded here so that no other command waits for it.
  const manifest = await createBackup(config, file, systemClock);
  await record(config, file, manifest, false);
  printResult(options, { file, ...manifest }, `Wrote ${file}: ${namesOf(manifest)}.`);
}

async function backUpByDate(config: Config, folder: string, options: Options): Promise<void> {
  const { file, manifest, deleted, damaged } = await createDatedBackup(
    config,
    folder,
    options.keep,
    systemClock,
    (made, description) => record(config, made, description, true),
  );
  for (const each of damaged) printNote(`Not counted, since it is no whole backup: ${each}`);
  const sentences = [`Wrote ${file}: ${namesOf(manifest)}.`];
  if (deleted.length > 0) sentences.push(`Deleted ${deleted.join(', ')}.`);
  printResult(options, { file, ...manifest, deleted, damaged }, sentences.join('\n'));
}

/** Records the backup, which exists even if this fails. */
async function record(
  config: Config,
  file: string,
  { createdAt }: BackupManifest,
  isRegular: boolean,
): Promise<void> {
  try {
    await recordBackup(config, { at: Date.parse(createdAt), file: resolve(file), isRegular });
  } catch (error) {
    printNote(`The backup was made, but not recorded for the metrics: ${messageOf(error)}`);
  }
}

async function restore(
  file: string,
  { replace, json }: JsonOption & { readonly replace?: true },
): Promise<void> {
  const config = requireEmbeddedStore(readConfig(), 'pg_restore');
  const restored = await restoreBackup(config, file, replace === true, systemClock);
  if (json) return printJson(restored);
  printLine(`Restored the backup of ${restored.createdAt} into ${restored.folder}.`);
  if (restored.movedTo) printLine(`What was there before is in ${restored.movedTo}.`);
}

function namesOf({ files }: BackupManifest): string {
  return files.map(({ name }) => name).join(', ');
}

function printVerified({ file, createdAt, files }: Verified): void {
  printTable(
    ['FILE', 'SHA-256', 'SCHEMA', 'ROWS'],
    files.map(({ name, sha256, schema, rows = {} }) => [
      name,
      sha256.slice(0, 12),
      String(schema ?? '-'),
      Object.entries(rows)
        .map(([table, count]) => `${table} ${count}`)
        .join(', '),
    ]),
    '',
  );
  printLine(`${file} of ${createdAt} is sound.`);
}
