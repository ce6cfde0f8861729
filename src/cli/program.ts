import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json';
import { addAccountsCreateCommand } from './accounts-create.ts';
import { addDeleteCommand } from './accounts-delete.ts';
import { addAccountsListCommand } from './accounts-list.ts';
import { addResetLinkCommand } from './accounts-reset-link.ts';
import { addResetSecondFactorCommand } from './accounts-reset-second-factor.ts';
import { addSetOperatorCommand } from './accounts-set-operator.ts';
import { addSetPlanCommand } from './accounts-set-plan.ts';
import { addAccountsShowCommand } from './accounts-show.ts';
import { addResumeCommand, addSuspendCommand } from './accounts-suspend.ts';
import { addAuditListCommand } from './audit-list.ts';
import { addBackupCommand } from './backup.ts';
import { addBansLiftCommand } from './bans-lift.ts';
import { addBansListCommand } from './bans-list.ts';
import { addDistributeCommand } from './distribute.ts';
import { WRONG_USAGE } from './errors.ts';
import { addFixtureSchemaCommand } from './fixture-schema.ts';
import { addGradeCommand } from './grade.ts';
import { addHealthCommand } from './health.ts';
import { addKeysCreateCommand } from './keys-create.ts';
import { addKeysListCommand } from './keys-list.ts';
import { addKeysRevokeCommand } from './keys-revoke.ts';
import { addKeysRotateCommand } from './keys-rotate.ts';
import { addMcpCommand } from './mcp.ts';
import { addMigrateStoreCommand } from './migrate-store.ts';
import { addOpenapiCommand } from './openapi.ts';
import { COMMAND, escapeLines, START_COMMAND, watchOutput } from './output.ts';
import { addRequestsListCommand } from './requests-list.ts';
import { addResetCommand } from './reset.ts';
import { addRestoreCommand } from './restore.ts';
import { addRunCommand } from './run-command.ts';
import { addSeedCommand } from './seed.ts';
import { addServeCommand } from './serve-command.ts';
import { addAcknowledgeLossCommand } from './store-acknowledge-loss.ts';
import { addBeginAnewCommand } from './store-begin-anew.ts';
import { addCheckCommand } from './store-check.ts';

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
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError('Add --help for the usage.')
    .configureOutput({
      outputError: (text, write) => write(escapeLines(text.replace(/^error: /, 'petstore: '))),
    })
    .addHelpText('after', FIRST_STEPS);
  addServeCommand(program);
  addRunCommand(program);
  addGradeCommand(program);
  addOpenapiCommand(program);
  addFixtureSchemaCommand(program);
  addSeedCommand(program);
  addResetCommand(program);
  const accounts = program.command('accounts').description('Create and change accounts.');
  addAccountsCreateCommand(accounts);
  addAccountsListCommand(accounts);
  addAccountsShowCommand(accounts);
  addSetPlanCommand(accounts);
  addSetOperatorCommand(accounts);
  addSuspendCommand(accounts);
  addResumeCommand(accounts);
  addDeleteCommand(accounts);
  addResetLinkCommand(accounts);
  addResetSecondFactorCommand(accounts);
  const keys = program.command('keys').description('Create, show and revoke API keys.');
  addKeysCreateCommand(keys);
  addKeysListCommand(keys);
  addKeysRotateCommand(keys);
  addKeysRevokeCommand(keys);
  const bans = program.command('bans').description('Show and lift bans of API keys.');
  addBansListCommand(bans);
  addBansLiftCommand(bans);
  const requests = program.command('requests').description('Show the requests of accounts.');
  addRequestsListCommand(requests);
  const audit = program.command('audit').description('Show who changed what.');
  addAuditListCommand(audit);
  addBackupCommand(program);
  addRestoreCommand(program);
  const store = program.command('store').description('Check and repair the data folder.');
  addAcknowledgeLossCommand(store);
  addBeginAnewCommand(store);
  addCheckCommand(store);
  addMigrateStoreCommand(program);
  addDistributeCommand(program);
  addHealthCommand(program);
  addMcpCommand(program);
  return program;
}
