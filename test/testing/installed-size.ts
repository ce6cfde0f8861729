import { lstatSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'bun';
import { table } from '../../bench/table.ts';
import { temporaryFolder } from '../support/harness.ts';

/*
 * Packs the project, installs it in an empty folder, and counts what npm put there: npm run installed-size
 * Needs the registry. With --write the table in docs/performance.md is renewed.
 */

const ROOT = join(import.meta.dir, '..', '..');
const DOCUMENT = join(ROOT, 'docs', 'performance.md');
const TABLE = /(<!-- installed-size -->\n)[\s\S]*?(<!-- \/installed-size -->)/;
/** The path of the `package.json` of an installed package, and not of a folder in it. */
const MANIFEST = /\/node_modules\/(?:@[^/]+\/)?[^/@][^/]*\/package\.json$/;
const MEGABYTE = 1_000_000;
/** Of `lstat`, in bytes. */
const BLOCK = 512;

using project = temporaryFolder(tmpdir());
await $`npm pack --silent --pack-destination ${project.path}`.cwd(ROOT).quiet();
const [tarball = ''] = [...new Bun.Glob('*.tgz').scanSync(project.path)];
await Bun.write(join(project.path, 'package.json'), '{ "private": true }');
await $`npm install --no-audit --no-fund ./${tarball}`.cwd(project.path).quiet();

const modules = join(project.path, 'node_modules');
const manifests = filesBelow(modules, '**/package.json').filter((file) => MANIFEST.test(file));
const rows = [
  ['The package, MB', megabytes([join(project.path, tarball)])],
  ['Packages', String(manifests.length)],
  ['Installed, MB on the disk', megabytes(filesBelow(modules, '**/*'))],
  ['Of these the runtime, MB', megabytes(filesBelow(modules, '{bun,@oven}/**/*'))],
];
const text = table(['What', 'Figure'], rows);
process.stdout.write(`${text}\n`);
if (process.argv.includes('--write')) {
  const document = await Bun.file(DOCUMENT).text();
  await Bun.write(
    DOCUMENT,
    document.replace(TABLE, (_, begin, end) => `${begin}${text}\n${end}`),
  );
}

function filesBelow(folder: string, pattern: string): string[] {
  const glob = new Bun.Glob(pattern);
  const found = glob.scanSync({ cwd: folder, dot: true, followSymlinks: false });
  return [...new Set(found)].map((file) => join(folder, file));
}

/** What files take on the disk, each once, also where several names lead to it. */
function megabytes(files: readonly string[]): string {
  const sizes = new Map(
    files.map((file) => lstatSync(file)).map(({ ino, blocks }) => [ino, blocks * BLOCK]),
  );
  const total = sizes.values().reduce((sum, size) => sum + size, 0);
  return (total / MEGABYTE).toFixed(0);
}
