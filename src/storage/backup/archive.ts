import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { create, extract, list, type ReadEntry } from 'tar';
import type { Environment } from '../../core/environments.ts';
import { errorCodeOf, messageOf, OperatorError } from '../../core/errors.ts';
import { FILE_NAMES, makeDurable } from '../data-folder.ts';
import { DATABASES } from '../folder/databases.ts';
import { inspect } from '../sqlite/database.ts';

/** The description of a backup, in its file `manifest.json`. */
export interface BackupManifest {
  readonly format: 1;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly files: ReadonlyArray<{ readonly name: string; readonly sha256: string }>;
  /** Identifies the store; absent in backups of earlier releases. */
  readonly storeId?: string;
  /** New ids continue after these if the highest ids in the databases are lower. */
  readonly idsAfter?: Readonly<Partial<Record<Environment, number>>>;
}

const MANIFEST = 'manifest.json';

const SECRETS = [FILE_NAMES.secret, FILE_NAMES.previousSecrets];

/** The only part of a backup of a PostgreSQL database, in pg_dump's custom format. */
export const DUMP = 'database.dump';

/** Errors caused by a disk, a folder or a process, never by the content of an archive. */
const OF_THE_SYSTEM = new Set([
  ...['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EACCES', 'EPERM', 'EIO'],
  ...['EMFILE', 'ENFILE', 'ENOMEM'],
]);

/** An intact backup was unpacked incompletely, probably because the disk is full. */
class IncompleteUnpackingError extends OperatorError {}

/**
 * Packs all files of a folder, with a manifest, into one durable file that only its owner may read.
 * @throws Error when the file cannot be read back, or the system's error when it cannot be written.
 */
export async function pack(
  folder: string,
  file: string,
  about: Omit<BackupManifest, 'format' | 'files'>,
): Promise<BackupManifest> {
  const names = await readdir(folder);
  const files = await Promise.all(
    names.map(async (name) => ({ name, sha256: await digest(join(folder, name)) })),
  );
  const manifest: BackupManifest = { format: 1, ...about, files };
  await writeFile(join(folder, MANIFEST), JSON.stringify(manifest));
  await create({ cwd: folder, file, gzip: true, portable: true, mode: 0o600 }, [
    MANIFEST,
    ...names,
  ]);
  await chmod(file, 0o600);
  makeDurable(file);
  await readBack(file);
  return manifest;
}

/** On a disk that is almost full, the system writes less than it is given, which the writer of archives overlooks. */
async function readBack(file: string): Promise<void> {
  try {
    await readSound(file);
  } catch (cause) {
    throw new Error(`it is not complete on the disk (${messageOf(cause)}), which may be full`, {
      cause,
    });
  }
}

/**
 * Reads a whole backup without unpacking it, and verifies the digest of every file. They must be plain files, each
 * once, with known names.
 * @throws Error when it is not a backup, or is damaged.
 */
export async function readSound(file: string): Promise<BackupManifest> {
  let text = '';
  const digests = new Map<string, Hash>();
  const decoder = new TextDecoder();
  const known = new Set([MANIFEST, DUMP, ...SECRETS, ...DATABASES.map(([name]) => name)]);
  const foreign: string[] = [];
  const onReadEntry = (entry: ReadEntry) => {
    if (!known.delete(entry.path) || entry.type !== 'File') foreign.push(entry.path);
    const hash = createHash('sha256');
    if (entry.path !== MANIFEST) digests.set(entry.path, hash);
    entry.on('data', (part) => {
      if (entry.path === MANIFEST) text += decoder.decode(part, { stream: true });
      else hash.update(part);
    });
  };
  await list({ file, strict: true, onReadEntry });
  if (foreign.length > 0) {
    throw new Error(`it holds ${JSON.stringify(foreign[0])}, which no backup does`);
  }
  const manifest = parseManifest(text, new Set([MANIFEST, ...digests.keys()]));
  const damaged = manifest.files.find(
    ({ name, sha256 }) => digests.get(name)?.digest('hex') !== sha256,
  );
  if (damaged) throw new Error(`${damaged.name} does not match its digest`);
  return manifest;
}

/**
 * Unpacks a backup into a folder and verifies every file. The files are durable when this returns, and only their
 * owner may read them.
 * @throws OperatorError when it is not an intact backup or was not unpacked completely, or the system's error when it
 * cannot be unpacked.
 */
export async function unpackSound(file: string, into: string): Promise<BackupManifest> {
  try {
    return await unpack(file, into);
  } catch (cause) {
    if (cause instanceof IncompleteUnpackingError) throw cause;
    if (OF_THE_SYSTEM.has(String(errorCodeOf(cause)))) throw cause;
    throw new OperatorError(
      `${file} is not a sound backup: ${messageOf(cause)}. Nothing was changed.`,
      { cause },
    );
  }
}

async function unpack(file: string, into: string): Promise<BackupManifest> {
  const manifest = await readSound(file);
  await extract({ file, cwd: into, strict: true });
  for (const { name, sha256 } of manifest.files) {
    await chmod(join(into, name), 0o600);
    if ((await digest(join(into, name))) === sha256) continue;
    throw new IncompleteUnpackingError(
      `${name} of ${file} was not unpacked completely: the disk may be full. Nothing was changed.`,
    );
  }
  for (const [name, schema] of DATABASES) {
    if (manifest.files.some((each) => each.name === name))
      inspect(join(into, name), schema, { thorough: true });
  }
  for (const { name } of manifest.files) makeDurable(join(into, name));
  return manifest;
}

function parseManifest(text: string, names: ReadonlySet<string>): BackupManifest {
  const manifest: BackupManifest = JSON.parse(text);
  if (manifest.format !== 1) throw new Error('it was made by another release');
  const listed = new Set([MANIFEST, ...manifest.files.map(({ name }) => name)]);
  const isWhole = listed.has(FILE_NAMES.accounts) || listed.has(DUMP);
  if (listed.symmetricDifference(names).size > 0 || !isWhole) {
    throw new Error('it does not hold what its manifest says');
  }
  return manifest;
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
