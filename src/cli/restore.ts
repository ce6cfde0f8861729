import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { systemClock } from '../lib/clock.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { printJson, printLine } from './output.ts';
import { requireEmbeddedStore } from './session.ts';

export function addRestoreCommand(program: Command): void {
  program
    .command('restore')
    .description('Put a backup into the data folder. The service must be stopped.')
    .argument('<file>', 'made by petstore backup')
    .option('--replace', 'move what the data folder holds into a folder within it first')
    .addOption(jsonOption())
    .action(async (file: string, { replace, json }: JsonOption & { replace?: true }) => {
      const config = requireEmbeddedStore(readConfig(), 'pg_restore');
      // Loaded here so that no other command waits for it.
      const { restoreBackup } = await import('../storage/backup/restore.ts');
      const restored = await restoreBackup(config, file, replace === true, systemClock);
      if (json) return printJson(restored);
      printLine(`Restored the backup of ${restored.createdAt} into ${restored.folder}.`);
      if (restored.movedTo) printLine(`What was there before is in ${restored.movedTo}.`);
    });
}
