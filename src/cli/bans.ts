import type { Command } from 'commander';
import { OperatorError } from '../core/errors.ts';
import { jsonOption } from './options.ts';
import { formatTime, printJson, printLine, printTable } from './output.ts';
import { withStores } from './session.ts';

export function addBansCommands(program: Command): void {
  const bans = program.command('bans').description('Show and lift bans of API keys.');
  bans.command('list').description('Show bans in force.').addOption(jsonOption()).action(list);
  bans
    .command('lift')
    .description('End a ban; running servers apply it within a second.')
    .argument('<id>', 'as in bans list')
    .addOption(jsonOption())
    .action(lift);
}

async function list(options: { json?: true }): Promise<void> {
  await withStores(async ({ stores, clock }) => {
    const bans = await stores.bans.active(clock.now().wall);
    if (options.json) {
      printJson(
        bans.map(({ id, keyId, accountId, environment, reason, level, startsAt, endsAt }) => ({
          id,
          keyId,
          accountId,
          environment,
          reason,
          level,
          startsAt: new Date(startsAt).toISOString(),
          endsAt: new Date(endsAt).toISOString(),
        })),
      );
      return;
    }
    printTable(
      ['ID', 'KEY', 'ENVIRONMENT', 'SINCE', 'UNTIL', 'REASON'],
      bans.map(({ id, keyId, environment, startsAt, endsAt, reason }) => [
        id,
        keyId,
        environment,
        formatTime(startsAt),
        formatTime(endsAt),
        reason,
      ]),
      'No bans in force.',
    );
  });
}

async function lift(id: string, options: { json?: true }): Promise<void> {
  await withStores(async ({ stores, clock, by }) => {
    const lifted = await stores.bans.lift(id, by, clock.now().wall);
    if (!lifted)
      throw new OperatorError(`No ban in force has the id ${id}. Run: petstore bans list`);
    if (options.json) printJson({ id, lifted: true, by });
    else printLine(`Ban ${id} is lifted.`);
  });
}
