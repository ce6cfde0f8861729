import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Asset, Assets } from './assets.ts';

/** The folder within an executable with the assets that were bundled at its build. */
export const EMBEDDED_FOLDER = 'pages';

const LIST = 'assets.json';

/** An asset in the list; its content is in a separate file. */
type Listed = Pick<Asset, 'name' | 'type'>;

/** Writes assets to a new folder, for `readAssets`. */
export async function writeAssets(assets: Assets, folder: string): Promise<void> {
  await mkdir(folder);
  const files: Listed[] = assets.files.map(({ name, type }) => ({ name, type }));
  await writeFile(join(folder, LIST), JSON.stringify({ ...assets, files }));
  await Promise.all(assets.files.map(({ name, bytes }) => writeFile(join(folder, name), bytes)));
}

/** Reads assets that `writeAssets` wrote; by default those embedded in the executable. */
export async function readAssets(folder = join(import.meta.dir, EMBEDDED_FOLDER)): Promise<Assets> {
  const list: Omit<Assets, 'files'> & { readonly files: readonly Listed[] } = await Bun.file(
    join(folder, LIST),
  ).json();
  const read = async (file: Listed) => ({
    ...file,
    bytes: await Bun.file(join(folder, file.name)).bytes(),
  });
  return { ...list, files: await Promise.all(list.files.map(read)) };
}
