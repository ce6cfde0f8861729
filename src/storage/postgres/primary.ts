import type { DatabaseAddresses } from '../../config/postgres-address.ts';
import { messageOf, SetupError } from '../../core/errors.ts';
import { SECOND } from '../../lib/clock.ts';
import { withTimeout } from '../../lib/timeout.ts';
import { connect, STATEMENT_LIMIT } from './connection.ts';

/** How long to wait for a server to report whether it accepts changes, in ms. */
const PATIENCE = 2 * SECOND;

/** The obstacle of a server that has shards of a database and accepts changes only to them. */
const IS_WORKER = 'it is a worker of Citus';

/** A server, and the reason why it does not accept changes; `undefined` for a primary. */
interface Candidate {
  readonly address: string;
  readonly obstacle: string | undefined;
}

/**
 * The first of these servers that accepts changes, which standbys and workers do not. Choosing the first one makes
 * all processes agree if two servers claim to be the primary.
 * @throws Error while no server accepts changes.
 */
export async function findPrimary(addresses: DatabaseAddresses): Promise<string> {
  const primary = primaryOf(await examineAll(addresses));
  if (primary === undefined) throw new Error('No server accepts changes.');
  return primary;
}

/**
 * The server to use at the start. A single server is not checked, because connecting to it reports any problem.
 * @throws SetupError with the reason why each server is not the primary.
 */
export async function requirePrimary(addresses: DatabaseAddresses): Promise<string> {
  const [first, ...others] = addresses;
  if (others.length === 0) return first;
  const candidates = await examineAll(addresses);
  const primary = primaryOf(candidates);
  if (primary !== undefined) return primary;
  const reasons = candidates.map(
    ({ address, obstacle }) => `${new URL(address).host}: ${obstacle}`,
  );
  throw new SetupError(
    `No server of PETSTORE_DATABASE_URL takes changes: ${reasons.join('; ')}. Start or promote one.`,
  );
}

function examineAll(addresses: DatabaseAddresses): Promise<Candidate[]> {
  return Promise.all(addresses.map(examine));
}

function primaryOf(candidates: readonly Candidate[]): string | undefined {
  const isAlone = candidates.length === 1;
  return candidates.find(
    ({ obstacle }) => obstacle === undefined || (isAlone && obstacle === IS_WORKER),
  )?.address;
}

async function examine(address: string): Promise<Candidate> {
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
      if (server?.standby) return { address, obstacle: 'it is a standby' };
      // 0 on the coordinator, and another number on a worker and its standbys.
      return { address, obstacle: row && row.group > 0 ? IS_WORKER : undefined };
    });
  } catch (error) {
    return { address, obstacle: messageOf(error) };
  } finally {
    connection.close({ timeout: 0 }).catch(() => {});
  }
}
