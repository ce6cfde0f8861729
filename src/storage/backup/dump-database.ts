import type { DatabaseSettings } from '../../config/config.ts';
import { processEnvironment } from '../../config/process-environment.ts';
import { messageOf, OperatorError } from '../../core/errors.ts';
import { STATEMENT_LIMIT, withConnection } from '../postgres/connection.ts';
import { requirePrimary } from '../postgres/primary.ts';
import { numbered } from '../schema/selection.ts';
import { KEEP_SETTING } from '../settings.ts';

/** Name of the setting that identifies a database, so that backups of several can share one folder. */
const STORE_ID = 'store_id';

const HAS_STORE = "SELECT 1 WHERE to_regclass('settings') IS NOT NULL";

const NOTHING_TO_BACK_UP =
  'The database of PETSTORE_DATABASE_URL holds no data yet: no service has been started on it. Set the address that the service has.';

/**
 * Writes a consistent dump of the database with pg_dump, which must be installed.
 * @param file in pg_dump's custom format, uncompressed: the backup compresses it.
 * @returns the id of the database, which is assigned with its first backup.
 * @throws OperatorError with the message of pg_dump, or when no service has used the database yet.
 */
export async function dumpDatabase(
  { servers }: DatabaseSettings,
  file: string,
): Promise<{ storeId: string }> {
  const server = await requirePrimary(servers);
  const storeId = await identify(server).catch((cause) => {
    if (cause instanceof OperatorError) throw cause;
    const problem = `Cannot read the database of PETSTORE_DATABASE_URL: ${messageOf(cause)}.`;
    throw new OperatorError(`${problem} Start it, or correct the address.`, { cause });
  });
  await runPgDump(server, file);
  return { storeId };
}

function identify(server: string): Promise<string> {
  return withConnection(server, STATEMENT_LIMIT, async (sql) => {
    const [found] = await sql.unsafe(HAS_STORE);
    if (!found) throw new OperatorError(NOTHING_TO_BACK_UP);
    const values = [STORE_ID, crypto.randomUUID()];
    const [row] = await sql.unsafe<{ value: string }[]>(numbered(KEEP_SETTING), values);
    return row?.value ?? '';
  });
}

async function runPgDump(server: string, file: string): Promise<void> {
  const url = new URL(server);
  // Other users of the machine can read arguments, but not the environment.
  const password = decodeURIComponent(url.password);
  url.password = '';
  const args = ['--format=custom', '--compress=0', '--no-password', '--file', file, url.href];
  const child = start(args, password === '' ? {} : { PGPASSWORD: password });
  // A signal that ends the backup must end pg_dump, which would go on writing and keep its transaction open.
  const end = () => child.kill();
  process.once('exit', end);
  const problem = await new Response(child.stderr).text();
  const code = await child.exited;
  process.off('exit', end);
  if (code === 0) return;
  throw new OperatorError(`pg_dump failed: ${problem.trim().split('\n').join('; ')}`);
}

function start(args: readonly string[], environment: Record<string, string>) {
  try {
    return Bun.spawn(['pg_dump', ...args], {
      env: { ...processEnvironment(), ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (cause) {
    throw new OperatorError(
      "Cannot run pg_dump. Install PostgreSQL's client programs, of the server's version or later.",
      { cause },
    );
  }
}
