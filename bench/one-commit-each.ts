/**
 * `bun --preload bench/one-commit-each.ts src/main.ts serve`: the service itself, with a commit of
 * its own for each creation. Shows what group commit is worth.
 */
import { plugin } from 'bun';

const BATCH = /const BATCH_SIZE = [\d_]+;/;

plugin({
  name: 'one commit each',
  setup(build) {
    build.onLoad({ filter: /src[\\/]sqlite[\\/]writer\.ts$/ }, async ({ path }) => {
      const source = await Bun.file(path).text();
      if (!BATCH.test(source)) throw new Error(`${path} has no BATCH_SIZE to set to 1.`);
      return { contents: source.replace(BATCH, 'const BATCH_SIZE = 1;'), loader: 'ts' };
    });
  },
});
