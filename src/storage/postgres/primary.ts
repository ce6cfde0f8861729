import type { DatabaseAddresses } from '../../config/postgres-address.ts';
import { messageOf, SetupError } from '../../core/errors.ts';
import { SECOND } from '../../lib/clock.ts';
import { withTimeout } from '../../lib/timeout.ts';
import { connect, STATEMENT_LIMIT } from './connection.ts';

/** How long a server may take to say whether it takes changes, in ms. */
const PATIENCE = 2 * SECOND;

/** A server, and what keeps it from taking changes; nothing when it is the one. */
interface Candidate {
  readonly address: string;
  readonly obstacle: string | undefined;
}

/**
 * The first of these servers that accepts changes, which a standby does not. Their order decides, so that
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

function askAll(addresses: DatabaseAddresses): Promise<Candidate[]> {
  return Promise.all(
    addresses.map(async (address) => ({ address, obstacle: await obstacleAt(address) })),
  );
}

function primaryOf(candidates: readonly Candidate[]): string | undefined {
  return candidates.find(({ obstacle }) => obstacle === undefined)?.address;
}

async function obstacleAt(address: string): Promise<string | undefined> {
  const connection = connect(address, STATEMENT_LIMIT, 1);
  try {
    const [row] = await withTimeout(PATIENCE, () =>
      connection.unsafe<{ transaction_read_only: string }[]>('SHOW transaction_read_only'),
    );
    return row?.transaction_read_only === 'off' ? undefined : 'it is a standby';
  } catch (error) {
    return messageOf(error);
  } finally {
    connection.close({ timeout: 0 }).catch(() => {});
  }
}
