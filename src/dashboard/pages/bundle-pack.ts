import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import { compressed } from './asset-files.ts';
import { bundlePages } from './bundle.ts';
import { ROOT, sourcesDigest } from './kept-pack.ts';
import type { AssetPack } from './packed-assets.ts';

/** The digest of a pack that is made again at the next start. */
const NOT_KEPT = '';

/**
 * Bundles and compresses the pages.
 * @throws Error with the bundler's messages when the source cannot be bundled.
 */
export async function packPages(): Promise<AssetPack> {
  const startedAt = systemClock.now().wall;
  const { assets, sources: bundled } = await bundlePages();
  const files = await Promise.all(assets.files.map(compressed));
  const paths = [...bundled, ...(await filesHere())];
  const sources = paths.map((path) => relative(ROOT, path)).sort();
  // Whoever edits a file meanwhile gets a bundle that is not of these sources.
  const isCurrent = !(await isChangedSince(startedAt, paths));
  const digest = (isCurrent && (await sourcesDigest(sources))) || NOT_KEPT;
  return { assets: { ...assets, files }, sources, digest };
}

/** The code that makes the pack, with the pictures in it. */
async function filesHere(): Promise<string[]> {
  return (await readdir(import.meta.dir)).map((name) => join(import.meta.dir, name));
}

async function isChangedSince(startedAt: number, paths: readonly string[]): Promise<boolean> {
  for (const path of paths) if ((await stat(path)).mtimeMs >= startedAt) return true;
  return false;
}
