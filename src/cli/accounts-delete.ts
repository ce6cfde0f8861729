import type { Command } from 'commander';
import { UsageError } from './errors.ts';
import { emailArgument, type JsonOption, jsonOption } from './options.ts';
import { printResult } from './output.ts';
import { withAccount } from './session.ts';

export function addDeleteCommand(accounts: Command): void {
  accounts
    .command('delete')
    .description('Delete an account with everything that belongs to it; animals stay.')
    .addArgument(emailArgument())
    .option('--yes', 'really delete it')
    .addOption(jsonOption())
    .action(deleteAccount);
}

async function deleteAccount(
  email: string,
  { yes, ...options }: JsonOption & { readonly yes?: true },
): Promise<void> {
  if (!yes) {
    throw new UsageError(
      `This deletes ${email} for good, with its keys, messages, usage and sessions. To stop it for a while, use accounts suspend. To delete it, repeat the command with --yes.`,
    );
  }
  await withAccount(email, async ({ id }, { stores, clock, by }) => {
    await stores.accounts.delete(id, clock.now().wall, by);
    printResult(options, { id, deleted: true }, `${email} is deleted.`);
  });
}
