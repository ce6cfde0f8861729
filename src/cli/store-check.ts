import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { OperatorError } from '../core/errors.ts';
import type { CheckedFile } from '../storage/folder/file-check.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { printJson, printLine } from './output.ts';
import { requireEmbeddedStore } from './session.ts';

/** The service and everybody else come first. */
const LOWEST_PRIORITY = 19;

export function addCheckCommand(store: Command): void {
  store
    .command('check')
    .description('Read every database whole and show damage; also while the service runs.')
    .option('--whole', 'Read the free pages as well, and each database in one transaction.')
    .argument('[files...]', 'the paths of databases; those of the data folder without any')
    .addOption(jsonOption())
    .action(check);
}

interface CheckOptions extends JsonOption {
  readonly whole?: true;
}

async function check(files: readonly string[], { json, whole }: CheckOptions): Promise<void> {
  setPriority(LOWEST_PRIORITY);
  // Loaded here so that no other command waits for it.
  const { DATABASES } = await import('../storage/folder/databases.ts');
  const { findDamage } = await import('../storage/sqlite/check.ts');
  const paths = files.length > 0 ? files : inDataFolder(DATABASES.map(([name]) => name));
  const checked: CheckedFile[] = paths.map((file) => ({
    file,
    damage: findDamage(file, whole === true) ?? null,
  }));
  if (json) printJson(checked);
  else for (const { file, damage } of checked) printLine(`${file}: ${damage ?? 'in order'}`);
  const damaged = checked.filter(({ damage }) => damage !== null);
  if (damaged.length > 0)
    throw new OperatorError(`${damaged.length} of ${paths.length} is damaged.`);
}

function inDataFolder(names: readonly string[]): string[] {
  const { dataDir } = requireEmbeddedStore(readConfig(), 'pg_amcheck');
  const paths = names.map((name) => join(dataDir, name)).filter((path) => existsSync(path));
  if (paths.length === 0) throw new OperatorError(`${dataDir} holds no data.`);
  return paths;
}
