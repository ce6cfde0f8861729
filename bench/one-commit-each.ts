/**
 * `bun --preload bench/one-commit-each.ts src/main.ts serve`: the service with a separate commit for each
 * creation, which shows the gain of group commit.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { plugin } from 'bun';

const QUEUE = join(import.meta.dir, '..', 'src/storage/write-queue.ts');
const BATCH = /const BATCH_SIZE = [\d_]+;/;

if (!existsSync(QUEUE)) throw new Error(`${QUEUE} does not exist.`);

plugin({
  name: 'one commit each',
  setup(build) {
    build.onLoad({ filter: /[\\/]storage[\\/]write-queue\.ts$/ }, async ({ path }) => {
      const source = await Bun.file(path).text();
      if (!BATCH.test(source)) throw new Error(`${path} has no BATCH_SIZE to set to 1.`);
      return { contents: source.replace(BATCH, 'const BATCH_SIZE = 1;'), loader: 'ts' };
    });
  },
});
