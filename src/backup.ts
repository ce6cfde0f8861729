import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs';
import { chmod, copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { create, extract } from 'tar';
import type { Config } from './config.ts';
import type { Clock } from './core/clock.ts';
import { ENVIRONMENTS } from './core/environments.ts';
import { OperatorError, SetupError } from './core/errors.ts';
import { openDataFolder } from './data-folder.ts';
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

const MANIFEST = 'manifest.json';
const SECRET = 'secret';
const DATABASES: ReadonlyArray<readonly [name: string, schema: Schema]> = [
  ['accounts.db', ACCOUNTS_SCHEMA],
  ...ENVIRONMENTS.map((name) => [`${name}.db`, ENVIRONMENT_SCHEMA] as const),
];

/**
 * Writes everything that the data folder holds into one file: consistent copies of the databases and
 * the folder's secret, each with its digest.
 * @throws OperatorError when the file exists, or there is nothing to back up.
 */
export async function createBackup(config: Config, file: string, clock: Clock): Promise<Manifest> {
  const target = resolve(file);
  if (existsSync(target)) throw new OperatorError(`${file} exists. Name a new file.`);
  if (!existsSync(join(config.dataDir, 'accounts.db'))) {
    throw new OperatorError(`${config.dataDir} holds no data yet.`);
  }
  const staging = mkdtempSync(`${target}.`);
  try {
    for (const [name, schema] of DATABASES) {
      const source = join(config.dataDir, name);
      if (existsSync(source)) snapshot(source, join(staging, name), schema);
    }
    const secret = join(config.dataDir, SECRET);
    if (config.secret === undefined) await copyFile(secret, join(staging, SECRET));
    const names = await readdir(staging);
    const files = await Promise.all(
      names.map(async (name) => ({ name, sha256: await digest(join(staging, name)) })),
    );
    const createdAt = new Date(clock.now().wall).toISOString();
    const manifest: Manifest = { format: 1, createdAt, files };
    await writeFile(join(staging, MANIFEST), JSON.stringify(manifest));
    const draft = join(staging, 'backup.tar.gz');
    await create({ cwd: staging, file: draft, gzip: true, portable: true, mode: 0o600 }, [
      MANIFEST,
      ...names,
    ]);
    await chmod(draft, 0o600);
    renameSync(draft, target);
    return manifest;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

export interface Restored {
  readonly folder: string;
  readonly createdAt: string;
  /** Where the former content of the data folder went, if there was any. */
  readonly movedTo: string | undefined;
}

/**
 * Puts a backup into the data folder, after every file in it was checked.
 * @param replace moves what is there into a folder beside it, instead of refusing.
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
  const incoming = mkdtempSync(join(folder.path, '.restore-'));
  try {
    if (locks.includes(undefined)) {
      throw new SetupError(`The service runs from ${folder.path}. Stop it first.`);
    }
    const manifest = await unpack(file, incoming);
    const movedTo = await clear(folder.path, replace, clock);
    for (const { name } of manifest.files) {
      renameSync(join(incoming, name), join(folder.path, name));
    }
    return { folder: folder.path, createdAt: manifest.createdAt, movedTo };
  } finally {
    for (const lock of locks) lock?.release();
    await rm(incoming, { recursive: true, force: true });
  }
}

async function unpack(file: string, into: string): Promise<Manifest> {
  try {
    await extract({ file, cwd: into, strict: true });
    const manifest = parseManifest(await readFile(join(into, MANIFEST), 'utf8'));
    for (const { name, sha256 } of manifest.files) {
      const path = join(into, name);
      if ((await digest(path)) !== sha256) throw new Error(`${name} does not match its digest`);
      await chmod(path, 0o600);
    }
    for (const [name, schema] of DATABASES) {
      if (manifest.files.some((each) => each.name === name))
        inspect(join(into, name), schema, true);
    }
    return manifest;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`${file} is not a sound backup: ${reason}. Nothing was changed.`, {
      cause,
    });
  }
}

function parseManifest(text: string): Manifest {
  const manifest: Manifest = JSON.parse(text);
  const known = new Set([SECRET, ...DATABASES.map(([name]) => name)]);
  if (manifest.format !== 1 || !manifest.files.every(({ name }) => known.has(name))) {
    throw new Error('it was made by another release');
  }
  return manifest;
}

async function clear(folder: string, replace: boolean, clock: Clock): Promise<string | undefined> {
  const kept = (await readdir(folder)).filter(
    (name) => name === SECRET || /\.db(-wal|-shm)?$/.test(name),
  );
  if (kept.length === 0) return undefined;
  if (!replace) {
    throw new OperatorError(`${folder} holds data. Add --replace to move it aside first.`);
  }
  const stamp = new Date(clock.now().wall).toISOString().replaceAll(/[:.]/g, '-');
  const aside = join(dirname(folder), `${folder}-before-restore-${stamp}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const name of kept) renameSync(join(folder, name), join(aside, name));
  return aside;
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
