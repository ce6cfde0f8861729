import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json';
import { addAccountsCommands } from './accounts.ts';
import { addBackupCommand } from './backup.ts';
import { addBansCommands } from './bans.ts';
import { WRONG_USAGE } from './errors.ts';
import { addHealthCommand } from './health.ts';
import { addKeysCommands } from './keys.ts';
import { addMigrateStoreCommand } from './migrate-store.ts';
import { addOpenapiCommand } from './openapi.ts';
import { COMMAND, START_COMMAND, watchOutput } from './output.ts';
import { addRestoreCommand } from './restore.ts';
import { addSeedCommand } from './seed.ts';
import { addServeCommand } from './serve-command.ts';

const FIRST_STEPS = `
First steps:
  ${START_COMMAND}
  ${COMMAND} keys create you@example.com
`;

/**
 * Parses one command line and runs what it asks for.
 * @returns the exit code; rejects when the command fails.
 */
export async function runProgram(args: readonly string[]): Promise<number> {
  watchOutput();
  try {
    await createProgram().parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    throw error;
  }
}

function createProgram(): Command {
  const program = new Command('petstore')
    .description('A petstore that really behaves.')
    .version(packageJson.version)
    .exitOverride()
    .showHelpAfterError('Add --help for the usage.')
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, 'petstore: ')),
    })
    .addHelpText('after', FIRST_STEPS);
  addServeCommand(program);
  addOpenapiCommand(program);
  addSeedCommand(program);
  addAccountsCommands(program);
  addKeysCommands(program);
  addBansCommands(program);
  addBackupCommand(program);
  addRestoreCommand(program);
  addMigrateStoreCommand(program);
  addHealthCommand(program);
  return program;
}
