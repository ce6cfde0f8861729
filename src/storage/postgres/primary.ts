import type { DatabaseAddresses } from '../../config/postgres-address.ts';
import { messageOf, SetupError } from '../../core/errors.ts';
import { SECOND } from '../../lib/clock.ts';
import { withTimeout } from '../../lib/timeout.ts';
import { connect, STATEMENT_LIMIT } from './connection.ts';

/** How long a server may take to say whether it takes changes, in ms. */
const PATIENCE = 2 * SECOND;

/** Obstacle of a server that has shards of a database, and takes changes of them alone. */
const IS_WORKER = 'it is a worker of Citus';

/** A server, and what keeps it from taking changes; nothing when it is the one. */
interface Candidate {
  readonly address: string;
  readonly obstacle: string | undefined;
  /** The number that a sharded database gives to a worker and its standbys; 0 elsewhere. */
  readonly group: number;
}

/**
 * The first of these servers that accepts changes, which standbys and workers do not. Their order decides, so that
 * all processes agree when two servers take themselves for the primary.
 * @throws Error while no server accepts changes.
 */
export async function findPrimary(addresses: DatabaseAddresses): Promise<string> {
  const primary = primaryOf(await askAll(addresses));
  if (primary === undefined) throw new Error('No server accepts changes.');
  return primary;
}

/**
 * The server to begin with. The only one is not asked: whatever is the matter with it will show.
 * @throws SetupError that says of each server why it is not the one.
 */
export async function requirePrimary(addresses: DatabaseAddresses): Promise<string> {
  const [first, ...others] = addresses;
  if (others.length === 0) return first;
  const candidates = await askAll(addresses);
  const primary = primaryOf(candidates);
  if (primary !== undefined) return primary;
  const reasons = candidates.map(
    ({ address, obstacle }) => `${new URL(address).host}: ${obstacle}`,
  );
  throw new SetupError(
    `No server of PETSTORE_DATABASE_URL takes changes: ${reasons.join('; ')}. Start or promote one.`,
  );
}

/** The workers of a sharded database among these servers, by their group. Their standbys are left out. */
export async function findWorkers(addresses: DatabaseAddresses): Promise<Map<number, string>> {
  const workers = (await askAll(addresses)).filter(({ obstacle }) => obstacle === IS_WORKER);
  return new Map(workers.map(({ group, address }) => [group, address]));
}

function askAll(addresses: DatabaseAddresses): Promise<Candidate[]> {
  return Promise.all(addresses.map(ask));
}

function primaryOf(candidates: readonly Candidate[]): string | undefined {
  const isAlone = candidates.length === 1;
  return candidates.find(
    ({ obstacle }) => obstacle === undefined || (isAlone && obstacle === IS_WORKER),
  )?.address;
}

async function ask(address: string): Promise<Candidate> {
  const connection = connect(address, STATEMENT_LIMIT, 1);
  try {
    return await withTimeout(PATIENCE, async () => {
      const [server] = await connection.unsafe<{ standby: boolean; sharded: boolean }[]>(
        `SELECT current_setting('transaction_read_only') = 'on' AS standby,
           to_regclass('pg_dist_local_group') IS NOT NULL AS sharded`,
      );
      const [row] = server?.sharded
        ? await connection.unsafe<{ group: number }[]>(
            'SELECT groupid AS "group" FROM pg_dist_local_group',
          )
        : [];
      const group = row?.group ?? 0;
      const isWorker = group > 0 ? IS_WORKER : undefined;
      return { address, group, obstacle: server?.standby ? 'it is a standby' : isWorker };
    });
  } catch (error) {
    return { address, group: 0, obstacle: messageOf(error) };
  } finally {
    connection.close({ timeout: 0 }).catch(() => {});
  }
}
