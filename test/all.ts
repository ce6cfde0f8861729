import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildExecutable } from '../build/executable.ts';
import { serveBrowser } from './support/browser.ts';
import { hasPostgres, PostgresServer } from './support/postgres-server.ts';

/*
 * Runs all tests, or those of the given files and folders. Makes once what many of them need:
 *
 * - the executable, which starts in a third of the time of the source,
 * - the data of a PostgreSQL server, copied for each server,
 * - a browser, in which each test file has its own profiles.
 *
 * Files that run in one process share its loaded modules. A test file that is run alone starts the source, and its
 * own servers and browser.
 */

/** More than two cores can run in parallel, because many tests wait for other programs. */
const PROCESSES = 4;

/** Makes what many tests need; returns the environment variables that locate it. */
async function prepare(cleanUp: AsyncDisposableStack): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-tests-'));
  cleanUp.defer(() => rm(folder, { recursive: true }));
  // Some tests start the executable as another user.
  await chmod(folder, 0o755);
  const made: Record<string, string> = { TESTED_EXECUTABLE: await buildExecutable(folder) };
  if (hasPostgres) {
    made['TESTED_POSTGRES_DATA'] = cleanUp.use(await PostgresServer.prepare()).data;
  }
  const browser = await serveBrowser();
  if (browser) {
    cleanUp.defer(() => browser.close());
    made['TESTED_BROWSER'] = browser.wsEndpoint();
  }
  return made;
}

// A terminal sends this signal to the tests as well; this process waits for their end.
process.on('SIGINT', () => {});
await using cleanUp = new AsyncDisposableStack();
const made = await prepare(cleanUp);
const given = process.argv.slice(2);
const isPathGiven = given.some((argument) => !argument.startsWith('-'));
const options = [`--parallel=${PROCESSES}`, '--no-isolate', '--timeout', '180000'];
const paths = isPathGiven ? [] : ['test/'];
const { exited } = Bun.spawn([process.execPath, 'test', ...options, ...paths, ...given], {
  cwd: join(import.meta.dir, '..'),
  env: { ...process.env, ...made },
  stdio: ['inherit', 'inherit', 'inherit'],
});
process.exitCode = await exited;
