import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleAssets } from '../src/dashboard/pages/bundle.ts';
import { EMBEDDED_FOLDER, writeAssets } from '../src/dashboard/pages/embedded-assets.ts';

const NAME = 'petstore';
const ROOT = join(import.meta.dir, '..');

/** Every file that runs in a thread of its own is called so. */
const THREADS = 'src/**/*-thread.ts';

/**
 * Makes one file that holds the service, its commands, the dashboard's pages and the runtime. It runs
 * on machines like this one, where nothing else is installed.
 * @param folder an existing folder; the file is `petstore` in it.
 * @returns the path of the file.
 * @throws Error with the bundler's messages when something cannot be bundled.
 */
export async function buildExecutable(folder: string): Promise<string> {
  // In the same folder, so that the file can be moved to its place, complete.
  const scratch = await mkdtemp(join(folder, '.build-'));
  try {
    const pages = join(scratch, EMBEDDED_FOLDER);
    await writeAssets(await bundleAssets(), pages);
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
    // Threads are looked for beside the program: everything is one file by then.
    naming: { entry: '[name].[ext]' },
    // Read at the start instead of the source, which takes twice as long.
    bytecode: true,
    // What is loaded late stays apart: in one piece with the rest, it is read at the start after all.
    splitting: true,
    // Stack traces in the log are read by people: names stay, and lines are those of the source.
    minify: { whitespace: true, syntax: true },
    sourcemap: 'inline',
    define: {
      'process.env.NODE_ENV': '"production"',
      // Otherwise packages learn where they lay when this was built.
      __dirname: '"/"',
    },
    compile: { outfile, assets: [pages], autoloadDotenv: false, autoloadBunfig: false },
    throw: false,
  });
  if (!success) throw new Error(`Cannot build ${outfile}:\n${logs.map(String).join('\n')}`);
}
