import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildConfig } from 'bun';
import { EMBEDDED_FOLDER, EMBEDDED_PACK } from '../src/dashboard/pages/asset-source.ts';
import { packPages } from '../src/dashboard/pages/bundle-pack.ts';
import { writePack } from '../src/dashboard/pages/packed-assets.ts';

export const ROOT = join(import.meta.dir, '..');

/** The entry points of threads. */
const THREADS = 'src/**/*-thread.ts';

/**
 * Bundles the service and its commands.
 * @param options what the kind of bundle needs in addition.
 * @throws Error with the bundler's messages when something cannot be bundled.
 */
export async function bundleService(options: Partial<BuildConfig>): Promise<void> {
  const threads = [...new Bun.Glob(THREADS).scanSync(ROOT)];
  const { success, logs } = await Bun.build({
    entrypoints: ['src/main.ts', ...threads].map((file) => join(ROOT, file)),
    target: 'bun',
    format: 'esm',
    // Threads are loaded by name from the folder of the entry point.
    naming: { entry: '[name].[ext]' },
    // Keeps dynamically imported code in separate chunks; otherwise all of it would be loaded at the start.
    splitting: true,
    // Identifiers are kept, and the source map restores lines, for readable stack traces in the log.
    minify: { whitespace: true, syntax: true },
    sourcemap: 'inline',
    define: {
      'process.env.NODE_ENV': '"production"',
      // Without this, packages would contain their path on the build machine.
      __dirname: '"/"',
    },
    throw: false,
    ...options,
  });
  if (!success) throw new Error(`Cannot bundle the service:\n${logs.map(String).join('\n')}`);
}

/**
 * Bundles the pages into a new folder.
 * @param parent where the folder is made.
 * @returns its path.
 */
export async function bundlePagesInto(parent: string): Promise<string> {
  const pages = join(parent, EMBEDDED_FOLDER);
  await mkdir(pages);
  await writeFile(join(pages, EMBEDDED_PACK), writePack(await packPages()));
  return pages;
}
