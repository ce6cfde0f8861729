import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundlePagesInto, bundleService } from './bundle.ts';

const NAME = 'petstore';

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
    const pages = await bundlePagesInto(scratch);
    const made = join(scratch, NAME);
    await bundleService({
      // Loading takes half the time of parsing the source.
      bytecode: true,
      compile: { outfile: made, assets: [pages], autoloadDotenv: false, autoloadBunfig: false },
    });
    const executable = join(folder, NAME);
    await rename(made, executable);
    return executable;
  } finally {
    await rm(scratch, { recursive: true });
  }
}
