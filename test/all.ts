import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { buildExecutable } from '../build/executable.ts';
import { serveBrowser } from './support/browser.ts';
import { hasPostgres, PostgresServer } from './support/postgres-server.ts';

/*
 * Runs all tests, or those of the given files and folders. Makes once what many of them need:
 *
 * - the executable, which starts in a third of the time of the source,
 * - the data of a PostgreSQL server, copied for each server,
 * - a browser, in which each process has its own profiles.
 *
 * Files that run in one process share its loaded modules. A test file that is run alone starts the source, and its
 * own servers and browser.
 */

const ROOT = join(import.meta.dir, '..');

/** More than two cores can run in parallel, because many tests wait for other programs. */
const PROCESSES = 6;

/** The files that take longest, in descending order. They start first, so that none is still running at the end. */
const LONGEST = [
  'postgres/postgres-behaviour',
  'web/web-dialog-addresses',
  'service/rolling-restart',
  'storage/lost-pets',
  'service/rolling-secret',
  'storage/watched-files',
  'testing/grade-changes',
  'project/recipes',
  'limits/redis/redis-pauses',
  'web/web-keys',
  'storage/durability',
  'web/web-filter-addresses',
  'dashboard/kept-bundle',
  'web/web-usage',
  'web/web-drafts',
  'postgres/postgres-ports',
  'storage/deleted-pets',
  'web/reference-samples',
  'service/lazy-loading',
  'storage/start-failures',
  'web/web-sign-in',
  'deploy/executable',
  'web/web-second-factor',
  'storage/checkpoints',
  'storage/earlier-stores',
  'http/fuzz',
  'api/pets/cached-lists',
  'web/reference',
  'observability/write-kinds',
  'web/web-narrow',
  'cli/commands-desk',
  'web/web-requests',
  'web/web-start',
  'sign-in/sign-in-addresses',
  'storage/lost-changes',
  'storage/backup',
  'web/frame',
  'jobs/usage-recorder',
  'testing/grade',
  'dashboard/live',
  'storage/sqlite-ports',
  'web/web-operator',
  'storage/database-files',
  'testing/client-environment',
  'web/web-orders',
  'web/web-messages',
  'web/reference-keys',
  'limits/redis/redis-service',
  'web/web-suspended',
  'web/web-sign-in-account',
  'service/tls',
  'project/changing-a-resource',
  'cli/commands',
  'web/web-operator-account',
  'project/docs',
  'deploy/operations-docs',
  'api/messages/delivery',
  'service/shutdown',
  'service/killed-process',
  'web/web-operator-bans',
  'api/sandbox/simulations',
  'cli/commands-migrate-store',
  'web/web-live',
  'limits/redis/redis-group',
  'cli/commands-keys',
  'limits/redis/redis-unavailable',
  'limits/redis/redis-cluster',
].map((name) => `test/${name}.test.ts`);

/** The memory with which the test processes may keep what they have allocated: up to 1.2 GB each. */
const AMPLE_MEMORY = 15 * 1024 ** 3;

/**
 * Settings of the runtime for processes that live for seconds: they neither compile code for long runs nor give
 * memory back. Together that takes an eighth less CPU time.
 */
const SHORT_LIVED = {
  BUN_JSC_useFTLJIT: '0',
  ...(totalmem() >= AMPLE_MEMORY && { MIMALLOC_PURGE_DELAY: '-1' }),
};

/** Makes what many tests need; returns the environment variables that locate it. */
async function prepare(
  folder: string,
  cleanUp: AsyncDisposableStack,
): Promise<Record<string, string | undefined>> {
  const home = join(folder, 'executable');
  await mkdir(home);
  const [executable, postgres, browser] = await Promise.all([
    buildExecutable(home),
    hasPostgres ? PostgresServer.prepare() : undefined,
    serveBrowser(),
  ]);
  if (postgres) cleanUp.use(postgres);
  cleanUp.defer(() => browser?.close());
  return {
    TESTED_EXECUTABLE: executable,
    TESTED_POSTGRES_DATA: postgres?.data,
    TESTED_BROWSER: browser?.wsEndpoint(),
  };
}

/** Writes durations from which Bun computes the order of the files; returns the path. */
async function writeOrder(folder: string): Promise<string> {
  const all = [...new Bun.Glob('test/**/*.test.ts').scanSync(ROOT)];
  const missing = LONGEST.filter((file) => !all.includes(file));
  if (missing.length > 0) throw new Error(`There is no ${missing}.`);
  const durations = all.map((file) => [file, LONGEST.toReversed().indexOf(file) + 1]);
  const path = join(folder, 'durations.json');
  await Bun.write(path, JSON.stringify({ version: 1, files: Object.fromEntries(durations) }));
  return path;
}

// A terminal sends this signal to the tests as well; this process waits for their end.
process.on('SIGINT', () => {});
await using cleanUp = new AsyncDisposableStack();
const folder = await mkdtemp(join(tmpdir(), 'petstore-tests-'));
cleanUp.defer(() => rm(folder, { recursive: true }));
// Some tests start the executable as another user.
await chmod(folder, 0o755);
const made = await prepare(folder, cleanUp);
const order = `--timings=${await writeOrder(folder)}`;
const given = process.argv.slice(2);
const isPathGiven = given.some((argument) => !argument.startsWith('-'));
const options = [`--parallel=${PROCESSES}`, '--no-isolate', order, '--timeout', '180000'];
const paths = isPathGiven ? [] : ['test/'];
const { exited } = Bun.spawn([process.execPath, 'test', ...options, ...paths, ...given], {
  cwd: ROOT,
  env: { ...SHORT_LIVED, ...process.env, ...made },
  stdio: ['inherit', 'inherit', 'inherit'],
});
process.exitCode = await exited;
