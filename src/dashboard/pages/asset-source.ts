import { join } from 'node:path';
import { IS_BUNDLED } from '../../lib/bundled.ts';
import { lazy } from '../../lib/lazy.ts';
import { type ServedAssets, servedAssets } from './asset-files.ts';
import { findPack, keepPack, packFolders, ROOT } from './kept-pack.ts';
import { type AssetPack, readPack } from './packed-assets.ts';

/** Where the assets of the pages come from. */
export interface AssetSource {
  /** Those that are made already and still current; `undefined` if there are none. */
  find(): Promise<ServedAssets | undefined>;
  /** Those that are made already, or new ones. */
  load(): Promise<ServedAssets>;
}

/** Whether and where the assets are kept for the next start. */
export interface BundleOptions {
  readonly isKept: boolean;
  /** Where they may be kept if not with the installed packages; `undefined` if there is none. */
  readonly dataFolder: string | undefined;
}

/** The file within an executable, or beside the modules of the package, with the pack that was made at its build. */
export const EMBEDDED_FOLDER = 'pages';
export const EMBEDDED_PACK = 'pages.bundle';

const PROGRAM = join(import.meta.dir, 'bundle-program.ts');

/** The current assets of this process, once they are found or made. */
let current: ServedAssets | undefined;

/** Makes assets once for all services of the process that ask for them at the same time. */
let making: Promise<AssetPack> | undefined;

/**
 * The assets of the pages from source, or those in the executable or the package.
 */
export function ownAssets({ isKept, dataFolder }: BundleOptions): AssetSource {
  const folders = packFolders(dataFolder);
  const find = async () => {
    if (current) return current;
    const pack = IS_BUNDLED ? await embeddedPack() : await findPack(folders);
    if (pack) current = servedAssets(pack.assets);
    return current;
  };
  const load = lazy(async () => {
    const found = await find();
    if (found) return found;
    making ??= makePack().finally(() => {
      making = undefined;
    });
    const pack = await making;
    current = servedAssets(pack.assets);
    if (isKept) await keepPack(pack, folders);
    return current;
  });
  return { find, load };
}

async function embeddedPack(): Promise<AssetPack> {
  const path = join(import.meta.dir, EMBEDDED_FOLDER, EMBEDDED_PACK);
  const pack = readPack(await Bun.file(path).bytes());
  if (!pack) throw new Error(`${path} is damaged. Install the service again.`);
  return pack;
}

/** Bundles the pages in a process of its own. @throws Error with its messages if it fails. */
async function makePack(): Promise<AssetPack> {
  const program = Bun.spawn([process.execPath, '--no-env-file', PROGRAM], {
    cwd: ROOT,
    env: {},
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [bytes, messages, code] = await Promise.all([
    new Response(program.stdout).bytes(),
    new Response(program.stderr).text(),
    program.exited,
  ]);
  const pack = code === 0 ? readPack(bytes) : undefined;
  if (!pack) throw new Error(`Cannot bundle the pages (exit code ${code}):\n${messages}`);
  return pack;
}
