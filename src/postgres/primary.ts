import { SECOND } from '../core/clock.ts';
import { messageOf, SetupError } from '../core/errors.ts';
import type { DatabaseAddresses } from './address.ts';
import { connect, STATEMENT_LIMIT } from './connection.ts';

/** How long a server may take to say whether it takes changes, in ms. */
const PATIENCE = 2 * SECOND;

/**
 * The first of these servers that takes changes, which a standby does not; `undefined` while none does.
 * In their order, so that all processes agree where two servers believe that they are the one.
 */
export async function findPrimary(addresses: DatabaseAddresses): Promise<string | undefined> {
  const obstacles = await Promise.all(addresses.map(obstacleAt));
  return addresses.find((_, index) => obstacles[index] === undefined);
}

/**
 * The server to begin with. The only one is not asked: whatever is the matter with it will show.
 * @throws SetupError that says of each server why it is not the one.
 */
export async function requirePrimary(addresses: DatabaseAddresses): Promise<string> {
  const [first, ...others] = addresses;
  if (others.length === 0) return first;
  const obstacles = await Promise.all(addresses.map(obstacleAt));
  const primary = addresses.find((_, index) => obstacles[index] === undefined);
  if (primary !== undefined) return primary;
  const reasons = addresses.map((each, index) => `${new URL(each).host}: ${obstacles[index]}`);
  throw new SetupError(
    `No server of PETSTORE_DATABASE_URL takes changes: ${reasons.join('; ')}. Start or promote one.`,
  );
}

/** What keeps this server from taking changes; `undefined` when nothing does. */
async function obstacleAt(address: string): Promise<string | undefined> {
  const connection = connect(address, STATEMENT_LIMIT, 1);
  const answer = connection.unsafe<{ transaction_read_only: string }[]>(
    'SHOW transaction_read_only',
  );
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => silence.reject(new Error(`no answer within ${PATIENCE} ms`)),
    PATIENCE,
  );
  try {
    const [row] = await Promise.race([answer, silence.promise]);
    return row?.transaction_read_only === 'off' ? undefined : 'it is a standby';
  } catch (error) {
    return messageOf(error);
  } finally {
    clearTimeout(timer);
    connection.close({ timeout: 0 }).catch(() => {});
  }
}
