import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { chmod, copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { create, extract, list } from 'tar';
import type { Config } from './config.ts';
import type { Clock } from './core/clock.ts';
import { ENVIRONMENTS } from './core/environments.ts';
import { OperatorError, SetupError } from './core/errors.ts';
import { makeDurable, openDataFolder } from './data-folder.ts';
import { snapshot } from './sqlite/backup.ts';
import { inspect } from './sqlite/database.ts';
import { takeLock } from './sqlite/lock.ts';
import { ACCOUNTS_SCHEMA, ENVIRONMENT_SCHEMA, type Schema } from './sqlite/migrations.ts';

/** What a backup says about itself, in its file `manifest.json`. */
export interface Manifest {
  readonly format: 1;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly files: ReadonlyArray<{ readonly name: string; readonly sha256: string }>;
}

const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const MANIFEST = 'manifest.json';
const SECRET = 'secret';
const ACCOUNTS = 'accounts.db';
const DATABASES: ReadonlyArray<readonly [name: string, schema: Schema]> = [
  [ACCOUNTS, ACCOUNTS_SCHEMA],
  ...ENVIRONMENTS.map((name) => [`${name}.db`, ENVIRONMENT_SCHEMA] as const),
];

/**
 * Writes everything that the data folder holds into one file: consistent copies of the databases and
 * the folder's secret, each with its digest. The file is there whole, or not at all.
 * @throws OperatorError when the file exists or cannot be written, or there is nothing to back up.
 */
export async function createBackup(config: Config, file: string, clock: Clock): Promise<Manifest> {
  const target = resolve(file);
  if (existsSync(target)) throw new OperatorError(`${file} exists. Name a new file.`);
  if (!existsSync(join(config.dataDir, ACCOUNTS))) {
    throw new OperatorError(`${config.dataDir} holds no data yet.`);
  }
  try {
    using workshop = openWorkshop(`${target}.`);
    const names = await copyData(config, workshop.path);
    const files = await Promise.all(
      names.map(async (name) => ({ name, sha256: await digest(join(workshop.path, name)) })),
    );
    const createdAt = new Date(clock.now().wall).toISOString();
    const manifest: Manifest = { format: 1, createdAt, files };
    await writeFile(join(workshop.path, MANIFEST), JSON.stringify(manifest));
    const draft = join(workshop.path, 'backup.tar.gz');
    await create({ cwd: workshop.path, file: draft, gzip: true, portable: true, mode: 0o600 }, [
      MANIFEST,
      ...names,
    ]);
    await chmod(draft, 0o600);
    makeDurable(draft);
    renameSync(draft, target);
    makeDurable(dirname(target));
    return manifest;
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError(`Cannot write ${file}: ${reason(cause)}.`, { cause });
  }
}

async function copyData(config: Config, into: string): Promise<string[]> {
  for (const [name, schema] of DATABASES) {
    const source = join(config.dataDir, name);
    if (existsSync(source)) snapshot(source, join(into, name), schema);
  }
  if (config.secret === undefined) {
    const secret = join(config.dataDir, SECRET);
    if (!existsSync(secret)) {
      throw new SetupError(`${secret} is missing. Set PETSTORE_SECRET as the service has it.`);
    }
    await copyFile(secret, join(into, SECRET));
  }
  return readdir(into);
}

export interface Restored {
  readonly folder: string;
  readonly createdAt: string;
  /** Where the former content of the data folder went, if there was any. */
  readonly movedTo: string | undefined;
}

/**
 * Puts a backup into the data folder, after every file in it was checked.
 * @param replace moves what is there into a new folder in it, instead of refusing.
 * @throws OperatorError when the backup is damaged, the folder is in use, or it holds data.
 */
export async function restoreBackup(
  config: Config,
  file: string,
  replace: boolean,
  clock: Clock,
): Promise<Restored> {
  if (!existsSync(file)) throw new OperatorError(`There is no file ${file}.`);
  const folder = openDataFolder(config.dataDir);
  const locks = ENVIRONMENTS.map((name) => takeLock(folder.lock(name)));
  try {
    if (locks.includes(undefined)) {
      throw new SetupError(`The service runs from ${folder.path}. Stop it first.`);
    }
    using workshop = openWorkshop(join(folder.path, '.restore-'));
    const manifest = await unpack(file, workshop.path);
    const movedTo = clear(folder.path, replace, clock);
    for (const { name } of manifest.files) {
      renameSync(join(workshop.path, name), join(folder.path, name));
    }
    makeDurable(folder.path);
    return { folder: folder.path, createdAt: manifest.createdAt, movedTo };
  } finally {
    for (const lock of locks) lock?.release();
  }
}

async function unpack(file: string, into: string): Promise<Manifest> {
  try {
    const names = await listParts(file);
    await extract({ file, cwd: into, strict: true });
    const manifest = parseManifest(await readFile(join(into, MANIFEST), 'utf8'), names);
    for (const { name, sha256 } of manifest.files) {
      const path = join(into, name);
      if ((await digest(path)) !== sha256) throw new Error(`${name} does not match its digest`);
      await chmod(path, 0o600);
    }
    for (const [name, schema] of DATABASES) {
      if (manifest.files.some((each) => each.name === name))
        inspect(join(into, name), schema, true);
    }
    for (const { name } of manifest.files) makeDurable(join(into, name));
    return manifest;
  } catch (cause) {
    throw new OperatorError(
      `${file} is not a sound backup: ${reason(cause)}. Nothing was changed.`,
      {
        cause,
      },
    );
  }
}

/** What the archive would write: nothing but plain files, each once, under names that we know. */
async function listParts(file: string): Promise<ReadonlySet<string>> {
  const entries: Array<readonly [name: string, type: string]> = [];
  await list({ file, strict: true, onReadEntry: ({ path, type }) => entries.push([path, type]) });
  const known = new Set([MANIFEST, SECRET, ...DATABASES.map(([name]) => name)]);
  const foreign = entries.find(([name, type]) => !known.delete(name) || type !== 'File');
  if (foreign) throw new Error(`it holds ${JSON.stringify(foreign[0])}, which no backup does`);
  return new Set(entries.map(([name]) => name));
}

function parseManifest(text: string, names: ReadonlySet<string>): Manifest {
  const manifest: Manifest = JSON.parse(text);
  if (manifest.format !== 1) throw new Error('it was made by another release');
  const listed = new Set([MANIFEST, ...manifest.files.map(({ name }) => name)]);
  if (listed.symmetricDifference(names).size > 0 || !listed.has(ACCOUNTS)) {
    throw new Error('it does not hold what its manifest says');
  }
  return manifest;
}

/** Without a pause, so that no signal can end the process between this and what follows. */
function clear(folder: string, replace: boolean, clock: Clock): string | undefined {
  const kept = readdirSync(folder).filter(
    (name) => name === SECRET || /\.db(-wal|-shm)?$/.test(name),
  );
  if (kept.length === 0) return undefined;
  if (!replace) {
    throw new OperatorError(`${folder} holds data. Add --replace to move it aside first.`);
  }
  const stamp = new Date(clock.now().wall).toISOString().replaceAll(/[:.]/g, '-');
  // Within the folder: what is beside it may be another file system, as it is for a mounted volume.
  const aside = join(folder, `before-restore-${stamp}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const name of kept) renameSync(join(folder, name), join(aside, name));
  return aside;
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/**
 * A folder for work that is not done, for this user's eyes only. It goes away when it is disposed
 * of, and when a signal ends the process.
 */
function openWorkshop(prefix: string): Disposable & { readonly path: string } {
  const path = mkdtempSync(prefix);
  const remove = () => rmSync(path, { recursive: true, force: true });
  const abandon = (signal: (typeof ENDINGS)[number]) => {
    remove();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ENDINGS) process.on(signal, abandon);
  return {
    path,
    [Symbol.dispose]() {
      for (const signal of ENDINGS) process.off(signal, abandon);
      remove();
    },
  };
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
