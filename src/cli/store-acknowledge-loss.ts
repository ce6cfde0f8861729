import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { systemClock } from '../lib/clock.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { printJson, printLine } from './output.ts';
import { requireEmbeddedStore } from './session.ts';

export function addAcknowledgeLossCommand(store: Command): void {
  store
    .command('acknowledge-loss')
    .description('Accept that animals or changes were lost, which /readyz reports until then.')
    .addOption(jsonOption())
    .action(async ({ json }: JsonOption) => {
      const config = requireEmbeddedStore(readConfig(), 'the tools of PostgreSQL');
      // Loaded here so that no other command waits for it.
      const { acknowledgeLosses, describeLoss } = await import('../storage/folder/losses.ts');
      const losses = acknowledgeLosses(config, systemClock);
      if (json) return printJson(losses);
      for (const loss of losses) printLine(`Acknowledged: ${describeLoss(loss)}`);
    });
}
