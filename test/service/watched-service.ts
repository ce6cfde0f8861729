import { closeSync, existsSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { plugin } from 'bun';

/*
 * Preloaded into a service, whose environment says what a test wants:
 *
 * - FAILING: modules whose path contains this text cannot be loaded.
 * - HELD: modules whose path contains this text are loaded only once the file GO exists.
 * - SIGUSR1 writes the paths of all loaded modules to the file MODULES.
 * - SIGUSR2 waits for the file GO and then uses up the file descriptors; the next SIGUSR2 releases them.
 */

const { FAILING, HELD, GO = '', MODULES = '' } = process.env;

const held: number[] = [];

function useUpDescriptors(): void {
  try {
    for (;;) held.push(openSync('/dev/null', 'r'));
  } catch {
    // None is left.
  }
}

plugin({
  name: 'watched-service',
  setup({ onLoad }) {
    const filter = new RegExp(`${FAILING ?? HELD ?? '(?!)'}`);
    onLoad({ filter }, async ({ path }) => {
      if (FAILING !== undefined) throw new Error('no file descriptor is left');
      while (!existsSync(GO)) await Bun.sleep(1);
      return { contents: await Bun.file(path).text(), loader: 'ts' };
    });
  },
});

if (Bun.isMainThread) {
  process.on('SIGUSR1', () => {
    writeFileSync(`${MODULES}.part`, JSON.stringify(Object.keys(require.cache)));
    renameSync(`${MODULES}.part`, MODULES);
  });
  process.on('SIGUSR2', () => {
    if (held.length > 0) {
      for (const descriptor of held.splice(0)) closeSync(descriptor);
      return;
    }
    // Blocks the thread, so that requests sent meanwhile are read only once no descriptor is left.
    while (!existsSync(GO)) Bun.sleepSync(1);
    useUpDescriptors();
  });
}
