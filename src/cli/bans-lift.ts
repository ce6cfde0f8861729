import type { Command } from 'commander';
import { OperatorError } from '../core/errors.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { COMMAND, printResult } from './output.ts';
import { withStores } from './session.ts';

export function addBansLiftCommand(bans: Command): void {
  bans
    .command('lift')
    .description('Lift a ban; running servers apply it within a second.')
    .argument('<id>', 'as in bans list')
    .addOption(jsonOption())
    .action(lift);
}

async function lift(id: string, options: JsonOption): Promise<void> {
  await withStores(async ({ stores, clock, by }) => {
    if (!(await stores.bans.lift(id, by, clock.now().wall))) {
      throw new OperatorError(`No ban in force has the id ${id}. Run: ${COMMAND} bans list`);
    }
    printResult(options, { id, lifted: true, by }, `Ban ${id} is lifted.`);
  });
}
