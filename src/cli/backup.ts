import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { systemClock } from '../lib/clock.ts';
import type { Verified } from '../storage/backup/verify.ts';
import { jsonOption } from './options.ts';
import { printJson, printLine, printTable } from './output.ts';
import { requireEmbeddedStore } from './session.ts';

export function addBackupCommand(program: Command): void {
  const backup = program
    .command('backup')
    .description('Write everything that is kept into one file; also while the service runs.')
    .argument('<file>', 'a new file; keep it as safe as the data folder, it holds the secret')
    .addOption(jsonOption())
    .action(async (file: string, { json }: { json?: true }) => {
      const config = requireEmbeddedStore(readConfig(), 'pg_dump --format=custom');
      // Only here: what unpacks archives is no part of any other command.
      const { createBackup } = await import('../storage/backup/create.ts');
      const manifest = await createBackup(config, file, systemClock);
      if (json) printJson({ file, ...manifest });
      else printLine(`Wrote ${file}: ${manifest.files.map(({ name }) => name).join(', ')}.`);
    });
  backup
    .command('verify')
    .description('Check a backup whole, and tell what it holds; changes nothing.')
    .argument('<file>', 'made by petstore backup; unpacked into a temporary folder for it')
    .addOption(jsonOption())
    .action(async (file: string, _: unknown, command: Command) => {
      const { verifyBackup } = await import('../storage/backup/verify.ts');
      const verified = await verifyBackup(file);
      // The command around this one knows the option, too, and takes it.
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
