import { type Command, Option } from 'commander';
import { readConfig } from '../config/config.ts';
import type { Account } from '../core/accounts/accounts.ts';
import type { Environment } from '../core/environments.ts';
import { OperatorError } from '../core/errors.ts';
import {
  checkSimulation,
  type IssuedKey,
  ROTATION_OVERLAPS,
  type RotationOverlap,
} from '../core/keys/api-key-service.ts';
import { type ApiKey, keyState } from '../core/keys/api-keys.ts';
import { subscribe } from '../core/limits/plans.ts';
import { UsageError } from './errors.ts';
import {
  emailArgument,
  environmentOption,
  type JsonOption,
  jsonOption,
  keyName,
  parseDuration,
  requireNewEmail,
} from './options.ts';
import {
  COMMAND,
  formatTime,
  isoTime,
  printJson,
  printNote,
  printResult,
  printTable,
  shellArgument,
} from './output.ts';
import { requireAccount, type Session, withAccount, withStores } from './session.ts';

interface CreateOptions extends JsonOption {
  readonly environment: Environment;
  readonly name: string;
  /** ms */
  readonly expiresIn?: number;
  readonly simulate?: string;
}

export function addKeysCommands(program: Command): void {
  const keys = program.command('keys').description('Create, show and revoke API keys.');
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
    .option(
      '--simulate <simulation>',
      'what its requests meet in staging, such as "unavailable;times=2"; docs/guides/sandbox.md lists all',
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
    .description('Create the successor of a key and print it.')
    .argument('<id>', 'as in keys list')
    .addOption(
      new Option('--overlap <duration>', 'how long the old key stays valid')
        .choices(Object.keys(ROTATION_OVERLAPS))
        .default('24h'),
    )
    .addOption(jsonOption())
    .action(rotate);
  keys
    .command('revoke')
    .description('Revoke a key; running servers refuse it within a second.')
    .argument('<id>', 'as in keys list')
    .addOption(jsonOption())
    .action(revoke);
}

async function create(email: string, options: CreateOptions): Promise<void> {
  const { environment, name, expiresIn, simulate } = options;
  // Checked before an account is created for the key.
  await requireSimulation(options);
  await withStores(async (session) => {
    const { stores, clock, by } = session;
    const account = await findOrCreateAccount(session, email);
    const expiresAt = expiresIn && clock.now().wall + expiresIn;
    const wish = { environment, name, expiresAt, simulate };
    const issued = await stores.apiKeyService.issue(account, wish, by);
    printIssuedKey(issued, options);
  });
}

/** @throws UsageError when the simulation is not valid for the key. */
async function requireSimulation(options: CreateOptions): Promise<void> {
  try {
    await checkSimulation(options, readConfig().stability);
  } catch (cause) {
    if (!(cause instanceof OperatorError)) throw cause;
    throw new UsageError(cause.message, { cause });
  }
}

async function findOrCreateAccount(session: Session, email: string): Promise<Account> {
  const { stores, clock, by } = session;
  const known = await stores.accounts.findByEmail(email);
  if (known) return known;
  requireNewEmail(email);
  const created = await stores.accounts.create(email, subscribe('free'), clock.now().wall, by);
  // Another process has created the account in the meantime.
  if (!created) return requireAccount(session, email);
  printNote(`Made a Free account for ${email}.`);
  return created;
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
      `No keys yet. Run: ${COMMAND} keys create ${shellArgument(email)}`,
    );
  });
}

async function rotate(
  id: string,
  options: JsonOption & { readonly overlap: RotationOverlap },
): Promise<void> {
  await withStores(async ({ stores, by }) => {
    const key = await stores.keys.find(id);
    if (!key) throw noSuchKey(id);
    printIssuedKey(await stores.apiKeyService.rotate(key, options.overlap, by), options);
  });
}

async function revoke(id: string, options: JsonOption): Promise<void> {
  await withStores(async ({ stores, clock, by }) => {
    const isRevoked = await stores.apiKeyService.revoke(id, by);
    const key = await stores.keys.find(id);
    if (!key) throw noSuchKey(id);
    if (!isRevoked) throw new OperatorError(`Key ${id} was revoked before.`);
    printResult(options, keyJson(key, clock.now().wall), `Key ${id} is revoked.`);
  });
}

/** An API key as commands print it as JSON. */
export function keyJson(key: ApiKey, now: number) {
  const { id, environment, name, prefix, lastFour } = key;
  return {
    ...{ id, environment, name, prefix, lastFour },
    state: keyState(key, now),
    createdAt: isoTime(key.createdAt),
    expiresAt: isoTime(key.expiresAt),
    lastUsedAt: isoTime(key.lastUsedAt),
    simulate: key.simulate ?? null,
  };
}

/** Prints a new key: only its text, unless JSON is requested. */
function printIssuedKey({ text, key }: IssuedKey, options: JsonOption): void {
  printResult(options, { key: text, ...keyJson(key, key.createdAt) }, text);
}

/** The error for an unknown id. It does not repeat anything that looks like a key: output may end up in logs. */
function noSuchKey(id: string): OperatorError {
  return new OperatorError(
    id.startsWith('pst_')
      ? `That is a key, not the id of one. Run: ${COMMAND} keys list EMAIL`
      : `No key has the id ${id}. Run: ${COMMAND} keys list EMAIL`,
  );
}
