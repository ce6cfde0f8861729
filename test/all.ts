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
  'service/rolling-restart',
  'storage/watched-files',
  'project/recipes',
  'service/rolling-secret',
  'postgres/postgres-ports',
  'web/web-keys',
  'storage/earlier-stores',
  'web/web-usage',
  'limits/redis/redis-pauses',
  'storage/checkpoints',
  'http/fuzz',
  'service/lazy-loading',
  'web/web-start',
  'observability/write-kinds',
  'web/web-second-factor',
  'storage/lost-pets',
  'deploy/executable',
  'storage/durability',
  'web/web-operator-bans',
  'web/web-sign-in',
  'testing/grade-changes',
  'testing/grade',
  'web/web-sign-in-account',
  'web/web-requests',
  'limits/redis/redis-service',
  'service/shutdown',
  'web/web-operator',
  'cli/commands-desk',
  'api/messages/delivery',
  'web/web-messages',
  'dashboard/live',
  'jobs/usage-recorder',
  'service/killed-process',
  'api/sandbox/simulations',
  'cli/commands-migrate-store',
  'web/web-live',
  'project/changing-a-resource',
  'limits/redis/redis-group',
  'cli/commands-keys',
  'testing/client-environment',
  'storage/start-failures',
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
