import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Contestant, petstoreOf } from '../contestants.ts';
import { CannotRun } from '../machine.ts';
import type { Bench } from '../measure.ts';
import { AMPLE, type PreparedStore } from '../stores.ts';

const ROOT = join(import.meta.dir, '..', '..');

/** An earlier commit of the service. */
export interface Baseline {
  readonly contestant: Contestant;
  /** A store made by that commit, which may not know the current schema. */
  store(): Promise<PreparedStore>;
}

/**
 * Extracts a commit into the temporary folder.
 * @throws CannotRun when there is no such commit.
 */
export async function checkOut(bench: Bench, revision: string): Promise<Baseline> {
  const folder = join(bench.folder, 'baseline');
  const archive = join(bench.folder, 'baseline.tar');
  mkdirSync(folder);
  const git = ['git', '-C', ROOT, 'archive', '--output', archive, revision];
  if (!succeeds(git) || !succeeds(['tar', '-xf', archive, '-C', folder])) {
    throw new CannotRun(`There is no commit ${revision} in this checkout.`);
  }
  install(folder);
  const prepare = join(folder, 'bench/prepare-store.ts');
  return {
    contestant: petstoreOf(`petstore, ${revision}`, join(folder, 'src/main.ts')),
    store: () => bench.stores.limited(bench.scale, AMPLE, prepare),
  };
}

function install(folder: string): void {
  const lockOf = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (lockOf(folder) === lockOf(ROOT)) {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    return;
  }
  cpSync(join(ROOT, '.npmrc'), join(folder, '.npmrc'));
  if (!succeeds(['npm', 'ci', '--prefix', folder])) {
    throw new CannotRun('The dependencies of the earlier commit could not be installed.');
  }
}

function succeeds(command: string[]): boolean {
  return Bun.spawnSync(command, { stdio: ['ignore', 'ignore', 'inherit'] }).success;
}
