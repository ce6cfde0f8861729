import { type Command, Option } from 'commander';
import type { Account } from '../core/accounts.ts';
import type { Environment } from '../core/environments.ts';
import { OperatorError } from '../core/errors.ts';
import { checkSimulation } from '../core/key-ring.ts';
import { subscribe } from '../core/plans.ts';
import { UsageError } from './errors.ts';
import { printIssuedKey } from './key-json.ts';
import {
  emailArgument,
  environmentOption,
  type JsonOption,
  jsonOption,
  keyName,
  parseDuration,
} from './options.ts';
import { printNote } from './output.ts';
import { requireAccount, type Session, withStores } from './session.ts';

interface Options extends JsonOption {
  readonly environment: Environment;
  readonly name: string;
  /** ms */
  readonly expiresIn?: number;
  readonly simulate?: string;
}

export function addKeysCreateCommand(keys: Command): void {
  keys
    .command('create')
    .description('Create an API key and print it. An unknown address gets a Free account.')
    .addArgument(emailArgument())
    .addOption(environmentOption())
    .addOption(
      new Option('--name <text>', 'what the key is for').argParser(keyName).default('command line'),
    )
    .addOption(
      new Option('--expires-in <duration>', 'such as 12h or 30d (default: never)').argParser(
        parseDuration,
      ),
    )
    .addOption(
      new Option(
        '--simulate <simulation>',
        'what its requests meet in staging, such as "unavailable;times=2"; docs/guides/sandbox.md lists all',
      ),
    )
    .addOption(jsonOption())
    .action(create);
}

async function create(email: string, options: Options): Promise<void> {
  const { environment, name, expiresIn, simulate } = options;
  // Before an account is made for the key.
  await requireSimulation(options);
  await withStores(async (session) => {
    const { stores, clock, by } = session;
    const account = await findOrCreateAccount(session, email);
    const expiresAt = expiresIn && clock.now().wall + expiresIn;
    const wish = { environment, name, expiresAt, simulate };
    const issued = await stores.keyRing.issue(account, wish, by);
    printIssuedKey(issued, options);
  });
}

/** @throws UsageError when the key cannot have the simulation. */
async function requireSimulation(options: Options): Promise<void> {
  try {
    await checkSimulation(options);
  } catch (cause) {
    if (!(cause instanceof OperatorError)) throw cause;
    throw new UsageError(cause.message, { cause });
  }
}

async function findOrCreateAccount(session: Session, email: string): Promise<Account> {
  const { stores, clock, by } = session;
  const known = await stores.accounts.findByEmail(email);
  if (known) return known;
  const created = await stores.accounts.create(email, subscribe('free'), clock.now().wall, by);
  // Another process was faster.
  if (!created) return requireAccount(session, email);
  printNote(`Made a Free account for ${email}.`);
  return created;
}
