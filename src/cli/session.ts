import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { type Config, readConfig } from '../config/config.ts';
import type { Account } from '../core/accounts/accounts.ts';
import type { Actor } from '../core/accounts/audit.ts';
import { OperatorError } from '../core/errors.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { explainFailure, isFileFailure } from '../storage/folder/file-failures.ts';
import { openStores } from '../storage/open-stores.ts';
import type { Stores } from '../storage/stores.ts';
import { COMMAND } from './output.ts';

const USERS = '/etc/passwd';

export interface Session {
  readonly stores: Stores;
  readonly clock: Clock;
  /** The actor of the command's changes in the audit log. */
  readonly by: Actor;
}

/** Opens the stores for one command, and closes them when it ends or fails. */
export async function withStores(work: (session: Session) => Promise<void>): Promise<void> {
  const config = readConfig();
  const stores = await openStores(config, systemClock);
  try {
    await work({ stores, clock: systemClock, by: `command line: ${machineUser()}` });
  } catch (error) {
    if (config.database || !isFileFailure(error)) throw error;
    const explained = explainFailure(stores.folder.accounts, error);
    throw new OperatorError(`The data folder ${config.dataDir} failed: ${explained}`, {
      cause: error,
    });
  } finally {
    await stores.close();
  }
}

/**
 * Like `withStores`, for a command about the account with this address.
 * @throws OperatorError when there is no such account.
 */
export function withAccount(
  email: string,
  work: (account: Account, session: Session) => Promise<void>,
): Promise<void> {
  return withStores(async (session) => work(await requireAccount(session, email), session));
}

/**
 * Returns the settings if all data is in the data folder.
 * @param instead the tool that serves the same purpose for PostgreSQL.
 * @throws OperatorError when a PostgreSQL database is used.
 */
export function requireEmbeddedStore(config: Config, instead: string): Config {
  if (!config.database) return config;
  throw new OperatorError(
    `This command works on the data folder, but PETSTORE_DATABASE_URL is set, so all data is in PostgreSQL. Use ${instead}, and back up PETSTORE_SECRET separately.`,
  );
}

/** @throws OperatorError when there is no account with this address. */
export async function requireAccount({ stores }: Session, email: string): Promise<Account> {
  const account = await stores.accounts.findByEmail(email);
  if (account) return account;
  throw new OperatorError(`No account has the address ${email}. Run: ${COMMAND} accounts list`);
}

/** The user's name from the system's user database: users can change the environment variable. */
function machineUser(): string {
  const id = process.getuid?.();
  if (id === undefined) return userInfo().username;
  const users = existsSync(USERS) ? readFileSync(USERS, 'utf8') : '';
  const [name] =
    users
      .split('\n')
      .find((line) => line.split(':')[2] === String(id))
      ?.split(':') ?? [];
  return name ?? `user ${id}`;
}
