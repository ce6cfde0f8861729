import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildExecutable } from '../build/executable.ts';
import { serveBrowser } from './support/browser.ts';
import { hasPostgres, PostgresServer } from './support/postgres-server.ts';

/*
 * Runs all tests, or those of the files and folders given, with what many of them need made once:
 *
 * - the executable, which starts in a third of the time that the source takes,
 * - the data of a PostgreSQL server, of which each server gets a copy,
 * - a browser, in which each file of tests has its own profiles.
 *
 * The files that a process runs share the modules that it loaded. A file of tests that is run by itself starts the
 * source, and servers and a browser of its own.
 */

/** More than two cores can run: many tests wait for other programs. */
const PROCESSES = 4;

/** Makes what many tests need; the values of environment variables that say where it is. */
async function prepare(cleanUp: AsyncDisposableStack): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-tests-'));
  cleanUp.defer(() => rm(folder, { recursive: true }));
  // Some tests start it as another user.
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

// A terminal sends this to the tests as well, whose end is waited for.
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
