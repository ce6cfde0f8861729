import { join } from 'node:path';
import { missingForCitus } from '../support/postgres-server.ts';

/** The tests of a sharded database: the storage suites, and behaviour that only several nodes have. */
const files = ['service.ts', 'lost-worker.ts'].map((file) => join(import.meta.dir, file));

const missing = missingForCitus();
if (missing !== undefined) {
  console.error(`These tests need ${missing}. Install it, and run this again.`);
  process.exit(2);
}
const tests = Bun.spawn([process.execPath, 'test', '--timeout', '300000', ...files], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
process.exit(await tests.exited);
