import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildExecutable } from '../build/executable.ts';

/*
 * Runs all tests, with what many of them need made once: the executable, which starts in a third of the time that
 * the source takes. A file of tests that is run by itself starts the source.
 */

const folder = await mkdtemp(join(tmpdir(), 'petstore-tests-'));
// Some tests start it as another user.
await chmod(folder, 0o755);
// A terminal sends this to the tests as well, whose end is waited for.
process.on('SIGINT', () => {});
try {
  const executable = await buildExecutable(folder);
  const command = ['test', '--parallel=3', '--timeout', '180000', 'test/'];
  const { exited } = Bun.spawn([process.execPath, ...command, ...process.argv.slice(2)], {
    cwd: join(import.meta.dir, '..'),
    env: { ...process.env, TESTED_EXECUTABLE: executable },
    stdio: ['inherit', 'inherit', 'inherit'],
  });
  process.exitCode = await exited;
} finally {
  await rm(folder, { recursive: true });
}
