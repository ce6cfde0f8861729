import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EMBEDDED_FOLDER, EMBEDDED_PACK } from '../src/dashboard/pages/asset-source.ts';
import { packPages } from '../src/dashboard/pages/bundle-pack.ts';
import { writePack } from '../src/dashboard/pages/packed-assets.ts';

const NAME = 'petstore';
const ROOT = join(import.meta.dir, '..');

/** The entry points of threads. */
const THREADS = 'src/**/*-thread.ts';

/**
 * Builds one file with the service, its commands, the dashboard's pages and the runtime. It runs on
 * machines with the same operating system and processor, without further installation.
 * @param folder an existing folder; the file is `petstore` in it.
 * @returns the path of the file.
 * @throws Error with the bundler's messages when something cannot be bundled.
 */
export async function buildExecutable(folder: string): Promise<string> {
  // Uses the same folder, so that the finished file can be moved into place atomically.
  const scratch = await mkdtemp(join(folder, '.build-'));
  try {
    const pages = join(scratch, EMBEDDED_FOLDER);
    await mkdir(pages);
    await writeFile(join(pages, EMBEDDED_PACK), writePack(await packPages()));
    const made = join(scratch, NAME);
    await compile(made, pages);
    const executable = join(folder, NAME);
    await rename(made, executable);
    return executable;
  } finally {
    await rm(scratch, { recursive: true });
  }
}

async function compile(outfile: string, pages: string): Promise<void> {
  const threads = [...new Bun.Glob(THREADS).scanSync(ROOT)];
  const { success, logs } = await Bun.build({
    entrypoints: ['src/main.ts', ...threads].map((file) => join(ROOT, file)),
    target: 'bun',
    format: 'esm',
    // Threads are loaded by name from the folder of the entry point, within the one file.
    naming: { entry: '[name].[ext]' },
    // Loading takes half the time of parsing the source.
    bytecode: true,
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
    compile: { outfile, assets: [pages], autoloadDotenv: false, autoloadBunfig: false },
    throw: false,
  });
  if (!success) throw new Error(`Cannot build ${outfile}:\n${logs.map(String).join('\n')}`);
}
