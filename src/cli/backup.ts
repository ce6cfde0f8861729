import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { systemClock } from '../lib/clock.ts';
import type { Verified } from '../storage/backup/verify.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { printJson, printLine, printResult, printTable } from './output.ts';
import { requireEmbeddedStore } from './session.ts';

export function addBackupCommand(program: Command): void {
  const backup = program
    .command('backup')
    .description('Write all data into one file; also while the service runs.')
    .argument('<file>', 'a new file; keep it as safe as the data folder, it holds the secret')
    .addOption(jsonOption())
    .action(async (file: string, options: JsonOption) => {
      const config = requireEmbeddedStore(readConfig(), 'pg_dump --format=custom');
      // Loaded here so that no other command waits for it.
      const { createBackup } = await import('../storage/backup/create.ts');
      const manifest = await createBackup(config, file, systemClock);
      const names = manifest.files.map(({ name }) => name).join(', ');
      printResult(options, { file, ...manifest }, `Wrote ${file}: ${names}.`);
    });
  backup
    .command('verify')
    .description('Check a whole backup and show what it holds; changes nothing.')
    .argument('<file>', 'made by petstore backup; unpacked into a temporary folder for it')
    .addOption(jsonOption())
    .action(async (file: string, _: unknown, command: Command) => {
      const { verifyBackup } = await import('../storage/backup/verify.ts');
      const verified = await verifyBackup(file);
      // The parent command has the same option, and receives it.
      if (command.optsWithGlobals()['json']) printJson(verified);
      else printVerified(verified);
    });
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
