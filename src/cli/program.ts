import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json';
import { SetupError } from '../core/errors.ts';
import { addAccountsCommands } from './accounts.ts';
import { addBackupCommand } from './backup.ts';
import { addBansCommands } from './bans.ts';
import { addKeysCommands } from './keys.ts';
import { addMigrateStoreCommand } from './migrate-store.ts';
import { addOpenapiCommand } from './openapi.ts';
import { UsageError } from './options.ts';
import { explain, watchOutput } from './output.ts';
import { addRestoreCommand } from './restore.ts';
import { addSeedCommand } from './seed.ts';
import { addServeCommand } from './serve.ts';

const FAILED = 1;
const WRONG_USAGE = 2;

const FIRST_STEPS = `
First steps:
  npm start
  npm run -s petstore -- keys create you@example.com
`;

/**
 * Runs one command line, without the program's own name.
 * @returns the exit code: 0 done, 1 refused or failed, 2 wrong usage or settings.
 */
export async function runCli(args: readonly string[]): Promise<number> {
  watchOutput();
  try {
    await createProgram().parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    for (const line of explain(error).split('\n')) process.stderr.write(`petstore: ${line}\n`);
    return error instanceof SetupError || error instanceof UsageError ? WRONG_USAGE : FAILED;
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
  return program;
}
