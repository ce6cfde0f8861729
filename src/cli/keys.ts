import { type Command, Option } from 'commander';
import type { Account } from '../core/accounts.ts';
import { type ApiKey, keyState } from '../core/api-keys.ts';
import type { Environment } from '../core/environments.ts';
import { OperatorError } from '../core/errors.ts';
import { type IssuedKey, ROTATION_OVERLAPS, type RotationOverlap } from '../core/key-ring.ts';
import { subscribe } from '../core/plans.ts';
import {
  emailArgument,
  environmentOption,
  jsonOption,
  parseDuration,
  parseKeyName,
} from './options.ts';
import { formatTime, printJson, printLine, printNote, printTable } from './output.ts';
import { requireAccount, type Session, withStores } from './session.ts';

interface CreateOptions {
  readonly environment: Environment;
  readonly name: string;
  readonly expiresIn?: number;
  readonly json?: true;
}

export function addKeysCommands(program: Command): void {
  const keys = program.command('keys').description('Make, show and end API keys.');
  keys
    .command('create')
    .description('Make an API key and print it. An unknown address gets a Free account.')
    .addArgument(emailArgument())
    .addOption(environmentOption())
    .addOption(
      new Option('--name <text>', 'what the key is for')
        .argParser(parseKeyName)
        .default('command line'),
    )
    .addOption(
      new Option('--expires-in <duration>', 'such as 12h or 30d (default: never)').argParser(
        parseDuration,
      ),
    )
    .addOption(jsonOption())
    .action(create);
  keys
    .command('list')
    .description("Show an account's keys.")
    .addArgument(emailArgument())
    .addOption(jsonOption())
    .action(list);
  keys
    .command('rotate')
    .description('Make a successor of a key and print it.')
    .argument('<id>', 'as in keys list')
    .addOption(
      new Option('--overlap <duration>', 'how long the old key works on')
        .choices(Object.keys(ROTATION_OVERLAPS))
        .default('24h'),
    )
    .addOption(jsonOption())
    .action(rotate);
  keys
    .command('revoke')
    .description('End a key; running servers refuse it within a second.')
    .argument('<id>', 'as in keys list')
    .addOption(jsonOption())
    .action(revoke);
}

async function create(email: string, options: CreateOptions): Promise<void> {
  const { environment, name, expiresIn } = options;
  await withStores(async (session) => {
    const account = await findOrCreateAccount(session, email);
    const expiresAt = expiresIn && session.clock.now().wall + expiresIn;
    const issued = await session.stores.keyRing.issue(
      account,
      { environment, name, expiresAt },
      session.by,
    );
    printKey(issued, options);
  });
}

async function findOrCreateAccount(session: Session, email: string): Promise<Account> {
  const { accounts } = session.stores;
  const known = await accounts.findByEmail(email);
  if (known) return known;
  const made = await accounts.create(
    email,
    subscribe('free'),
    session.clock.now().wall,
    session.by,
  );
  if (!made) return requireAccount(session, email);
  printNote(`Made a Free account for ${email}.`);
  return made;
}

async function list(email: string, options: { json?: true }): Promise<void> {
  await withStores(async (session) => {
    const account = await requireAccount(session, email);
    const keys = await session.stores.keys.list(account.id);
    const now = session.clock.now().wall;
    if (options.json) return printJson(keys.map((key) => publicKey(key, now)));
    printTable(
      ['KEY', 'ENVIRONMENT', 'NAME', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED', 'ID'],
      keys.map((key) => [
        `${key.prefix}…${key.lastFour}`,
        key.environment,
        key.name,
        keyState(key, now),
        formatTime(key.createdAt),
        formatTime(key.expiresAt),
        formatTime(key.lastUsedAt),
        key.id,
      ]),
      `No keys yet. Run: petstore keys create ${email}`,
    );
  });
}

async function rotate(
  id: string,
  options: { overlap: RotationOverlap; json?: true },
): Promise<void> {
  await withStores(async ({ stores, by }) => {
    const key = await stores.keys.find(id);
    if (!key) throw noSuchKey(id);
    printKey(await stores.keyRing.rotate(key, options.overlap, by), options);
  });
}

async function revoke(id: string, options: { json?: true }): Promise<void> {
  await withStores(async ({ stores, clock, by }) => {
    if (!(await stores.keyRing.revoke(id, by))) {
      const known = await stores.keys.find(id);
      throw known ? new OperatorError(`Key ${id} was revoked before.`) : noSuchKey(id);
    }
    const key = await stores.keys.find(id);
    if (options.json && key) printJson(publicKey(key, clock.now().wall));
    else printLine(`Key ${id} is revoked.`);
  });
}

function printKey({ text, key }: IssuedKey, { json }: { json?: true }): void {
  if (json) printJson({ key: text, ...publicKey(key, key.createdAt) });
  else printLine(text);
}

function publicKey(key: ApiKey, now: number) {
  const { id, environment, name, prefix, lastFour } = key;
  return {
    id,
    environment,
    name,
    prefix,
    lastFour,
    state: keyState(key, now),
    createdAt: isoTime(key.createdAt),
    expiresAt: isoTime(key.expiresAt),
    lastUsedAt: isoTime(key.lastUsedAt),
  };
}

function isoTime(moment: number | undefined): string | null {
  return moment === undefined ? null : new Date(moment).toISOString();
}

function noSuchKey(id: string): OperatorError {
  // What is shown once must not come to lie in a terminal's history or a job's log.
  if (id.startsWith('pst_')) {
    return new OperatorError('That is a key, not the id of one. Run: petstore keys list EMAIL');
  }
  return new OperatorError(`No key has the id ${id}. Run: petstore keys list EMAIL`);
}
