import type { Command } from 'commander';
import { accountJson } from './account-json.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { COMMAND, formatTime, printJson, printTable } from './output.ts';
import { withStores } from './session.ts';

export function addAccountsListCommand(accounts: Command): void {
  accounts.command('list').description('Show all accounts.').addOption(jsonOption()).action(list);
}

async function list({ json }: JsonOption): Promise<void> {
  await withStores(async ({ stores }) => {
    const accounts = await stores.accounts.list();
    if (json) return printJson(accounts.map(accountJson));
    printTable(
      ['EMAIL', 'ROLE', 'PLAN', 'PER MINUTE', 'PER DAY', 'CREATED', 'ID'],
      accounts.map(({ email, role, plan, limits, createdAt, id }) => [
        ...[email, role, plan, String(limits.perMinute), String(limits.perDay)],
        ...[formatTime(createdAt), id],
      ]),
      `No accounts yet. Run: ${COMMAND} accounts create EMAIL`,
    );
  });
}
