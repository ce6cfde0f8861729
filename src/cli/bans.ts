import type { Command } from 'commander';
import { OperatorError } from '../core/errors.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { COMMAND, formatTime, isoTime, printJson, printResult, printTable } from './output.ts';
import { withStores } from './session.ts';

export function addBansCommands(program: Command): void {
  const bans = program.command('bans').description('Show and lift bans of API keys.');
  bans.command('list').description('Show bans in force.').addOption(jsonOption()).action(list);
  bans
    .command('lift')
    .description('Lift a ban; running servers apply it within a second.')
    .argument('<id>', 'as in bans list')
    .addOption(jsonOption())
    .action(lift);
}

async function list({ json }: JsonOption): Promise<void> {
  await withStores(async ({ stores, clock }) => {
    const bans = await stores.bans.active(clock.now().wall);
    if (json) {
      return printJson(
        bans.map(({ id, keyId, accountId, environment, reason, level, startsAt, endsAt }) => {
          const times = { startsAt: isoTime(startsAt), endsAt: isoTime(endsAt) };
          return { id, keyId, accountId, environment, reason, level, ...times };
        }),
      );
    }
    printTable(
      ['ID', 'KEY', 'ENVIRONMENT', 'SINCE', 'UNTIL', 'REASON'],
      bans.map(({ id, keyId, environment, startsAt, endsAt, reason }) => {
        return [id, keyId, environment, formatTime(startsAt), formatTime(endsAt), reason];
      }),
      'No bans in force.',
    );
  });
}

async function lift(id: string, options: JsonOption): Promise<void> {
  await withStores(async ({ stores, clock, by }) => {
    if (!(await stores.bans.lift(id, by, clock.now().wall))) {
      throw new OperatorError(`No ban in force has the id ${id}. Run: ${COMMAND} bans list`);
    }
    printResult(options, { id, lifted: true, by }, `Ban ${id} is lifted.`);
  });
}
