import { lstatSync } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import { type AssetPack, readPack, writePack } from './packed-assets.ts';

/** The root of the project, or of its installed package. */
export const ROOT = join(import.meta.dir, '..', '..', '..');

/** The file of a pack, in a folder that the service may write. */
const FILE = 'pages.bundle';

/** Age of a draft that nobody finishes any more, in ms. */
const ABANDONED = 60_000;

/** A folder where a pack may be kept. */
interface PackFolder {
  readonly path: string;
  /** Whether it is made if it does not exist. */
  readonly isMade: boolean;
}

/**
 * Where a pack is kept: with the installed packages, which all services from this source share, and otherwise in the
 * data folder.
 * @param dataFolder `undefined` if there is none, or if nothing is to be kept in it.
 */
export function packFolders(dataFolder: string | undefined): readonly PackFolder[] {
  const packages = packagesAbove(ROOT);
  return [
    ...(packages === undefined
      ? []
      : [{ path: join(packages, '.cache', 'petstore'), isMade: true }]),
    ...(dataFolder === undefined ? [] : [{ path: dataFolder, isMade: false }]),
  ];
}

/** The folder of the installed packages; `undefined` if there is none, or if it is a link to that of another source. */
function packagesAbove(folder: string): string | undefined {
  const packages = join(folder, 'node_modules');
  const found = lstatSync(packages, { throwIfNoEntry: false });
  if (found) return found.isDirectory() ? packages : undefined;
  const above = dirname(folder);
  return above === folder ? undefined : packagesAbove(above);
}

/** The first pack in these folders that was made of the sources as they are now. */
export async function findPack(folders: readonly PackFolder[]): Promise<AssetPack | undefined> {
  for (const { path } of folders) {
    const pack = await readIn(path);
    if (pack && pack.digest === (await sourcesDigest(pack.sources))) return pack;
  }
  return undefined;
}

async function readIn(folder: string): Promise<AssetPack | undefined> {
  try {
    return readPack(await Bun.file(join(folder, FILE)).bytes());
  } catch {
    // There is none, or it cannot be read: it is made again.
    return undefined;
  }
}

/**
 * Writes a pack to the first of these folders that can be written. Where none can, it is made again at the next
 * start.
 */
export async function keepPack(pack: AssetPack, folders: readonly PackFolder[]): Promise<void> {
  const bytes = writePack(pack);
  for (const { path, isMade } of folders) {
    try {
      if (isMade) await mkdir(path, { recursive: true });
      return await writeIn(path, bytes);
    } catch {
      // Read-only, of another user, or full.
    }
  }
}

/** Replaces the file as a whole, so that other processes never read a part of it. */
async function writeIn(folder: string, bytes: Uint8Array): Promise<void> {
  const draft = join(folder, `${FILE}.draft`);
  if (await isAbandoned(draft)) await rm(draft, { force: true });
  // Fails if another process is writing the same.
  const file = await open(draft, 'wx');
  try {
    await file.writeFile(bytes);
    await rename(draft, join(folder, FILE));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function isAbandoned(draft: string): Promise<boolean> {
  try {
    return systemClock.now().wall - (await stat(draft)).mtimeMs > ABANDONED;
  } catch {
    return false;
  }
}

/**
 * The digest of source files and of the runtime that bundles them; `undefined` if one cannot be read.
 * @param sources relative to the root.
 */
export async function sourcesDigest(sources: readonly string[]): Promise<string | undefined> {
  const hasher = new Bun.CryptoHasher('sha256').update(Bun.revision);
  try {
    for (const source of sources) {
      const content = await Bun.file(join(ROOT, source)).bytes();
      hasher.update(`${source}\0${content.length}\0`).update(content);
    }
  } catch {
    return undefined;
  }
  return hasher.digest('hex');
}
