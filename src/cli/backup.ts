import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { systemClock } from '../core/clock.ts';
import { jsonOption } from './options.ts';
import { printJson, printLine } from './output.ts';
import { requireEmbeddedStore } from './session.ts';

export function addBackupCommand(program: Command): void {
  program
    .command('backup')
    .description('Write everything that is kept into one file; also while the service runs.')
    .argument('<file>', 'a new file; keep it as safe as the data folder, it holds the secret')
    .addOption(jsonOption())
    .action(async (file: string, { json }: { json?: true }) => {
      const config = requireEmbeddedStore(readConfig(), 'pg_dump --format=custom');
      // Only here: what unpacks archives is no part of any other command.
      const { createBackup } = await import('../backup/create.ts');
      const manifest = await createBackup(config, file, systemClock);
      if (json) printJson({ file, ...manifest });
      else printLine(`Wrote ${file}: ${manifest.files.map(({ name }) => name).join(', ')}.`);
    });
}
