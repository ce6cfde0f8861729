import type { Command } from 'commander';
import { keyState } from '../core/api-keys.ts';
import { keyJson } from './key-json.ts';
import { emailArgument, type JsonOption, jsonOption } from './options.ts';
import { COMMAND, formatTime, printJson, printTable } from './output.ts';
import { withAccount } from './session.ts';

export function addKeysListCommand(keys: Command): void {
  keys
    .command('list')
    .description("Show an account's keys.")
    .addArgument(emailArgument())
    .addOption(jsonOption())
    .action(list);
}

async function list(email: string, { json }: JsonOption): Promise<void> {
  await withAccount(email, async ({ id }, { stores, clock }) => {
    const keys = await stores.keys.list(id);
    const now = clock.now().wall;
    if (json) return printJson(keys.map((key) => keyJson(key, now)));
    printTable(
      ['KEY', 'ENVIRONMENT', 'NAME', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED', 'SIMULATES', 'ID'],
      keys.map((key) => [
        ...[`${key.prefix}…${key.lastFour}`, key.environment, key.name, keyState(key, now)],
        ...[key.createdAt, key.expiresAt, key.lastUsedAt].map(formatTime),
        key.simulate ?? '-',
        key.id,
      ]),
      `No keys yet. Run: ${COMMAND} keys create ${email}`,
    );
  });
}
