import { type Command, Option } from 'commander';
import { ENVIRONMENTS, type Environment } from '../core/environments.ts';
import { UsageError } from './errors.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { printResult } from './output.ts';
import { withStores } from './session.ts';

interface ResetOptions extends JsonOption {
  readonly environment: Environment;
  readonly yes?: true;
}

export function addResetCommand(program: Command): void {
  program
    .command('reset')
    .description(
      'Empty an environment; accounts and keys stay. Running servers apply it within a second.',
    )
    .addOption(
      new Option('--environment <name>', 'which environment')
        .choices(ENVIRONMENTS)
        .makeOptionMandatory(),
    )
    .option('--yes', 'really delete what it holds')
    .addOption(jsonOption())
    .action(reset);
}

async function reset({ environment, yes, ...options }: ResetOptions): Promise<void> {
  const contents = contentsOf(environment);
  if (!yes) {
    throw new UsageError(
      `This deletes ${contents} for good; accounts and keys stay. Make a backup if you need them, and repeat the command with --yes.`,
    );
  }
  await withStores(async ({ stores, clock, by }) => {
    // The animals first: once servers hear of the reset they must not cache any of the old ones.
    await stores.environment(environment).reset();
    await stores.environmentResets.reset([environment], by, clock.now().wall);
  });
  printResult(options, { environment, reset: true }, `Deleted ${contents}.`);
}

function contentsOf(environment: Environment): string {
  const sandboxes = environment === 'staging' ? ', and what accounts have set in the sandbox' : '';
  return `all animals, messages, idempotency records, usage, bans and logged requests of ${environment}${sandboxes}`;
}
