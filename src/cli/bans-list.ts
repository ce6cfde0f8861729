import type { Command } from 'commander';
import { type JsonOption, jsonOption } from './options.ts';
import { formatTime, isoTime, printJson, printTable } from './output.ts';
import { withStores } from './session.ts';

export function addBansListCommand(bans: Command): void {
  bans.command('list').description('Show bans in force.').addOption(jsonOption()).action(list);
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
