import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { messageOf, OperatorError } from '../../core/errors.ts';
import { DATABASES } from '../folder/databases.ts';
import { explainFailure, isThere } from '../folder/file-failures.ts';
import { type Contents, examine } from '../sqlite/backup.ts';
import { type BackupManifest, unpackSound } from './archive.ts';
import { openTemporaryFolder } from './temporary-folder.ts';

/** A verified backup and its content. */
export interface Verified {
  readonly file: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** The files, with the contents of databases. */
  readonly files: ReadonlyArray<BackupManifest['files'][number] & Partial<Contents>>;
}

/**
 * Unpacks a backup into a temporary folder, verifies the digest of every file, checks every database completely,
 * and counts its rows.
 * @throws OperatorError when it is damaged, was made by a newer release, or cannot be unpacked.
 */
export async function verifyBackup(file: string): Promise<Verified> {
  if (!isThere(file)) throw new OperatorError(`There is no file ${file}.`);
  using temporary = openTemporaryFolder(join(tmpdir(), 'petstore-verify-'));
  try {
    const { createdAt, files } = await unpackSound(file, temporary.path);
    const databases = new Set(DATABASES.map(([name]) => name));
    const contents = (name: string) =>
      databases.has(name) ? examineSound(file, name, temporary.path) : {};
    return { file, createdAt, files: files.map((each) => ({ ...each, ...contents(each.name) })) };
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError(
      `Cannot check ${file} in ${tmpdir()}: ${explainFailure(join(tmpdir(), basename(file)), cause)} Or set TMPDIR to use another folder.`,
      { cause },
    );
  }
}

function examineSound(file: string, name: string, folder: string): Contents {
  try {
    return examine(join(folder, name));
  } catch (cause) {
    throw new OperatorError(`${file} is not a sound backup: ${name}: ${messageOf(cause)}.`, {
      cause,
    });
  }
}
