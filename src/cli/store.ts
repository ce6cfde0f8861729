import { setPriority } from 'node:os';
import { join } from 'node:path';
import { Argument, type Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { OperatorError } from '../core/errors.ts';
import { systemClock } from '../lib/clock.ts';
import { dataFolderAt } from '../storage/data-folder.ts';
import { DATABASES } from '../storage/folder/databases.ts';
import type { CheckedFile } from '../storage/folder/file-check.ts';
import { explainFailure, isThere } from '../storage/folder/file-failures.ts';
import { acknowledgeLosses, describeLoss } from '../storage/folder/losses.ts';
import { recreate as recreateFile } from '../storage/folder/recreate.ts';
import { findLostFiles } from '../storage/folder/store-files.ts';
import { findDamage } from '../storage/sqlite/check.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { printJson, printLine, printResult } from './output.ts';
import { requireEmbeddedStore } from './session.ts';
import { addSecretCommands } from './store-secrets.ts';

/** Files of the data folder that can be re-created. */
const FILES = ['accounts.db', 'production.db', 'staging.db', 'store.json'];

/** The service and all other processes have priority. */
const LOWEST_PRIORITY = 19;

/** Adds the commands that check and repair the data folder. Each loads its own code, so no other command waits. */
export function addStoreCommands(program: Command): void {
  const store = program
    .command('store')
    .description('Check and repair the data folder, and change its secret.');
  store
    .command('acknowledge-loss')
    .description('Accept that animals or changes were lost, which /readyz reports until then.')
    .addOption(jsonOption())
    .action(acknowledgeLoss);
  store
    .command('recreate')
    .alias('begin-anew')
    .description(
      'Make a lost file of the data folder anew, without what it held. The service must be stopped.',
    )
    .addArgument(new Argument('<file>', 'the file that is missing or empty').choices(FILES))
    .addOption(jsonOption())
    .action(recreate);
  store
    .command('check')
    .description(
      'Read every database whole, show damage, and name those that are missing; also while the service runs.',
    )
    .option('--whole', 'Read the free pages as well, and each database in one transaction.')
    .argument('[files...]', 'the paths of databases; those of the data folder without any')
    .addOption(jsonOption())
    .action(check);
  addSecretCommands(store);
}

async function acknowledgeLoss({ json }: JsonOption): Promise<void> {
  const config = requireEmbeddedStore(readConfig(), 'the tools of PostgreSQL');
  const losses = acknowledgeLosses(config, systemClock);
  if (json) return printJson(losses);
  for (const loss of losses) printLine(`Acknowledged: ${describeLoss(loss)}`);
}

async function recreate(file: string, options: JsonOption): Promise<void> {
  const config = requireEmbeddedStore(readConfig(), 'the tools of PostgreSQL');
  recreateFile(config, file, systemClock);
  printResult(options, { file }, `Made ${file} anew in ${config.dataDir}.`);
}

async function check(
  files: readonly string[],
  { json, whole = false }: JsonOption & { readonly whole?: boolean },
): Promise<void> {
  setPriority(LOWEST_PRIORITY);
  const missing = files.find((file) => !isThere(file));
  if (missing !== undefined) throw new OperatorError(`There is no file ${missing}.`);
  const checked = files.length > 0 ? await checkFiles(files, whole) : await checkFolder(whole);
  if (json) printJson(checked);
  else for (const { file, damage } of checked) printLine(`${file}: ${damage ?? 'in order'}`);
  const damaged = checked.filter(({ damage }) => damage !== null);
  if (damaged.length > 0)
    throw new OperatorError(`${damaged.length} of ${checked.length} files damaged.`);
}

async function checkFiles(files: readonly string[], isWhole: boolean): Promise<CheckedFile[]> {
  return files.map((file) => {
    try {
      return { file, damage: findDamage(file, isWhole) ?? null };
    } catch (cause) {
      throw new OperatorError(`Cannot check ${file}: ${explainFailure(file, cause)}`, { cause });
    }
  });
}

/** Checks the databases of the data folder: those that are there, and those that its manifest lists. */
async function checkFolder(isWhole: boolean): Promise<CheckedFile[]> {
  const { dataDir } = requireEmbeddedStore(readConfig(), 'pg_amcheck');
  const folder = dataFolderAt(dataDir);
  const lost = findLostFiles(folder);
  const pathOf = (name: string) => join(folder.path, name);
  const found = DATABASES.map(([name]) => name)
    .filter((name) => !lost.has(name))
    .map(pathOf)
    .filter((path) => isThere(path));
  if (found.length + lost.size === 0) throw new OperatorError(`${folder.path} holds no data.`);
  const losses = [...lost].map(([name, how]) => ({
    file: pathOf(name),
    damage: `the file is ${how}`,
  }));
  return [...(await checkFiles(found, isWhole)), ...losses];
}
