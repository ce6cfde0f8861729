import type { Environment } from '../../core/environments.ts';
import type { Clock } from '../../lib/clock.ts';
import { type DataFolder, FILE_NAMES } from '../data-folder.ts';
import { readAcknowledged, writeAcknowledged } from './acknowledged.ts';
import {
  type ListedFile,
  type Manifest,
  requireManifest,
  updateManifest,
  withLoss,
} from './manifest.ts';

/** Ids are reserved in the manifest in blocks of this size, so that creating a pet rarely waits for it. */
const BLOCK = 10_000;

/** The last id of the block that begins after an id. */
export function endOfBlock(highest: number): number {
  return Math.min(highest + BLOCK, Number.MAX_SAFE_INTEGER);
}

/**
 * Starts recording the ids of an environment.
 * @param highest the highest id in its database, or 0.
 * @param idsAfter new ids continue after this one if it is higher.
 * @returns the entry for the database in the manifest.
 */
export function beginIds(
  folder: DataFolder,
  environment: Environment,
  highest: number,
  idsAfter = 0,
): ListedFile {
  writeAcknowledged(folder.acknowledged(environment), highest);
  const reservedUpTo = endOfBlock(Math.max(highest, idsAfter));
  return idsAfter > highest ? { reservedUpTo, idsAfter } : { reservedUpTo };
}

/** The state of an environment's database at a start. */
interface FoundIds {
  /** Reads the highest id in the database, or 0. */
  readonly highestId: () => number;
  /** Whether the database existed but had lost all of its tables. */
  readonly wasEmpty: boolean;
}

/**
 * Compares a database with the acknowledged ids. A loss is added to the manifest, and new ids then continue after the
 * reserved block and the highest acknowledged id. New ids also continue there after a failure of the machine, because it
 * is then unknown which ids were acknowledged.
 */
export function checkIds(
  folder: DataFolder,
  environment: Environment,
  { highestId, wasEmpty }: FoundIds,
  clock: Clock,
): void {
  const file = FILE_NAMES.database(environment);
  const path = folder.acknowledged(environment);
  // Read first: another process may be creating pets and records their ids after the commit.
  const given = readAcknowledged(path);
  const highest = highestId();
  const isSettled = ({ reservedUpTo, idsAfter = 0 }: ListedFile) => {
    if (wasEmpty || reservedUpTo === undefined || given === undefined) return false;
    return (
      given.highest <= Math.max(highest, idsAfter) && (given.isExact || idsAfter >= reservedUpTo)
    );
  };
  if (isSettled(requireManifest(folder).files[file] ?? {})) return;
  updateManifest(folder, (found) => {
    const manifest = requireManifest(folder, found);
    const listed = manifest.files[file] ?? {};
    // Another process may have done this first.
    if (isSettled(listed)) return manifest;
    const { reservedUpTo, idsAfter = 0 } = listed;
    const lastId = given?.highest ?? 0;
    if (given === undefined && reservedUpTo !== undefined) writeAcknowledged(path, highest);
    const next: ListedFile =
      reservedUpTo === undefined
        ? beginIds(folder, environment, highest, lastId)
        : // If recorded ids are beyond the reserved block, the manifest is older than they are.
          { idsAfter: Math.max(reservedUpTo, lastId) };
    const firstId = wasEmpty ? 1 : Math.max(highest, idsAfter) + 1;
    const isLoss = wasEmpty || lastId >= firstId;
    return withFile(
      isLoss
        ? withLoss(
            manifest,
            { file, firstId, lastId, ...(wasEmpty && { what: 'everything' }) },
            clock,
          )
        : manifest,
      file,
      { ...listed, ...next },
    );
  });
}

/**
 * The highest id that may have been acknowledged in an environment; 0 if there is none.
 * @param manifest `undefined` when it is missing or cannot be read.
 * @param highest the highest id in the database; `undefined` when the database is missing or cannot be read.
 */
export function highestGivenId(
  folder: DataFolder,
  manifest: Manifest | undefined,
  environment: Environment,
  highest?: number,
): number {
  const listed = manifest?.files[FILE_NAMES.database(environment)];
  const given = readAcknowledged(folder.acknowledged(environment));
  const known = Math.max(highest ?? 0, given?.highest ?? 0, listed?.idsAfter ?? 0);
  if (given?.isExact) return known;
  if (listed?.reservedUpTo !== undefined) return Math.max(known, listed.reservedUpTo);
  // Without the manifest it is unknown which ids were reserved. Assume one block.
  const wasThere = highest !== undefined || given !== undefined || listed !== undefined;
  return wasThere ? endOfBlock(known) : 0;
}

/** Replaces the entry for a database in the manifest. */
export function withFile(manifest: Manifest, name: string, listed: ListedFile): Manifest {
  return { ...manifest, files: { ...manifest.files, [name]: listed } };
}
