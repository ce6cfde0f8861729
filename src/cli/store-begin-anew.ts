import { Argument, type Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { systemClock } from '../lib/clock.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { printResult } from './output.ts';
import { requireEmbeddedStore } from './session.ts';

const FILES = ['accounts.db', 'production.db', 'staging.db', 'store.json'];

export function addBeginAnewCommand(store: Command): void {
  store
    .command('begin-anew')
    .description(
      'Make a lost file of the data folder anew, without what it held. The service must be stopped.',
    )
    .addArgument(new Argument('<file>', 'the file that is missing or empty').choices(FILES))
    .addOption(jsonOption())
    .action(async (file: string, options: JsonOption) => {
      const config = requireEmbeddedStore(readConfig(), 'the tools of PostgreSQL');
      // Loaded here so that no other command waits for it.
      const { beginAnew } = await import('../storage/folder/begin-anew.ts');
      beginAnew(config, file, systemClock);
      printResult(options, { file }, `Made ${file} anew in ${config.dataDir}.`);
    });
}
