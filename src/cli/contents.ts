import { type Command, Option } from 'commander';
import { ENVIRONMENTS, type Environment } from '../core/environments.ts';
import { resetEnvironments } from '../core/pets/environment-resets.ts';
import { samplePet } from '../core/pets/sample-pets.ts';
import { SECOND } from '../lib/clock.ts';
import { UsageError } from './errors.ts';
import { environmentOption, type JsonOption, jsonOption, parseCount } from './options.ts';
import { printResult } from './output.ts';
import { requireAccount, withStores } from './session.ts';

/** Pets per transaction. */
const BATCH_SIZE = 2_000;

/** How long running servers may take to know of a reset, in ms: they read the change feed four times a second. */
const ANNOUNCED_AFTER = SECOND;

interface SeedOptions extends JsonOption {
  readonly pets: number;
  readonly environment: Environment;
  /** E-mail address. */
  readonly account?: string;
}

interface ResetOptions extends JsonOption {
  readonly environment: Environment;
  readonly yes?: true;
}

/** Adds the commands that fill and empty an environment. */
export function addContentsCommands(program: Command): void {
  program
    .command('seed')
    .description('Add realistic animals; also while the service runs.')
    .addOption(new Option('--pets <n>', 'how many').argParser(parseCount).default(1_000))
    .addOption(environmentOption())
    .option('--account <email>', 'the account that they belong to; by default nobody')
    .addOption(jsonOption())
    .action(seed);
  program
    .command('reset')
    .description(
      'Delete the animals, orders, messages, idempotency records, usage, bans and logged requests of an environment, and the sandboxes of staging; accounts and keys stay. Running servers apply it within a second.',
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

async function seed({ pets, environment, account, ...options }: SeedOptions): Promise<void> {
  const format = '{bar} {percentage}% | {value} of {total} animals | {eta_formatted} left';
  const { SingleBar } = await import('cli-progress');
  // Shown on stderr, and only if that is a terminal.
  const bar = options.json ? undefined : new SingleBar({ format });
  await withStores(async (session) => {
    const owner = account === undefined ? undefined : (await requireAccount(session, account)).id;
    const store = session.stores.environment(environment).pets;
    bar?.start(pets, 0);
    for (let done = 0; done < pets; done += BATCH_SIZE) {
      const length = Math.min(BATCH_SIZE, pets - done);
      await store.import(
        Array.from({ length }, (_, index) => ({ ...samplePet(done + index), owner })),
      );
      bar?.update(done + length);
    }
  }).finally(() => bar?.stop());
  printResult(options, { environment, pets }, `Added ${pets} animals to ${environment}.`);
}

async function reset({ environment, yes, ...options }: ResetOptions): Promise<void> {
  const contents = contentsOf(environment);
  if (!yes) {
    throw new UsageError(
      `This deletes ${contents} for good; accounts and keys stay. Make a backup if you need them, and repeat the command with --yes.`,
    );
  }
  await withStores(async ({ stores, clock, by }) => {
    const isAnnounced = () => Bun.sleep(ANNOUNCED_AFTER);
    await resetEnvironments(stores, [environment], by, clock.now().wall, isAnnounced);
  });
  printResult(options, { environment, reset: true }, `Deleted ${contents}.`);
}

function contentsOf(environment: Environment): string {
  const sandboxes = environment === 'staging' ? ', and what accounts have set in the sandbox' : '';
  return `all animals, orders, messages, idempotency records, usage, bans and logged requests of ${environment}${sandboxes}`;
}
