import { plugin } from 'bun';

/*
 * Preloaded into a service: its code that is loaded late cannot be loaded at the first attempt, as if no file
 * descriptor were left.
 */

const LATE_CODE =
  /\/src\/(?:http\/simulation\/simulate|api\/openapi\/document|api\/sandbox\/handlers)\.ts$/;

const failed = new Set<string>();

plugin({
  name: 'failing-imports',
  setup({ onLoad }) {
    onLoad({ filter: LATE_CODE }, async ({ path }) => {
      if (failed.has(path)) return { contents: await Bun.file(path).text(), loader: 'ts' };
      failed.add(path);
      throw new Error('no file descriptor is left');
    });
  },
});
