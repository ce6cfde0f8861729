import type { Environment } from '../../core/environments.ts';
import type { Clock } from '../../lib/clock.ts';
import { type DataFolder, FILE_NAMES } from '../data-folder.ts';
import { readGivenIds, writeGivenIds } from './given-ids.ts';
import {
  type ListedFile,
  type Loss,
  type Manifest,
  requireManifest,
  updateManifest,
} from './manifest.ts';

/** Ids are reserved in the manifest in blocks of this size, so that few creations wait for it. */
const BLOCK = 10_000;

/** The end of the block that begins after an id. */
export function endOfBlock(highest: number): number {
  return Math.min(highest + BLOCK, Number.MAX_SAFE_INTEGER);
}

/**
 * Begins to record the ids of an environment.
 * @param highest the highest id that its database holds, or 0.
 * @param idsAfter ids continue after this one, also if that is higher.
 * @returns what the manifest is to say of the database.
 */
export function beginIds(
  folder: Pick<DataFolder, 'givenIds'>,
  environment: Environment,
  highest: number,
  idsAfter = 0,
): ListedFile {
  writeGivenIds(folder.givenIds(environment), highest);
  const reservedUpTo = endOfBlock(Math.max(highest, idsAfter));
  return idsAfter > highest ? { reservedUpTo, idsAfter } : { reservedUpTo };
}

/**
 * Compares what a database holds with what was acknowledged. What is lost is added to the manifest, and
 * ids then continue after the reserved block and the highest acknowledged id, as they do where it is
 * unknown what was acknowledged: after a failure of the machine.
 * @param highestId reads the highest id that the database holds, or 0.
 */
export function checkIds(
  folder: DataFolder,
  environment: Environment,
  highestId: () => number,
  clock: Clock,
): void {
  const file = FILE_NAMES.database(environment);
  // Read first: another process may be creating pets, and records their ids after their commit.
  const given = readGivenIds(folder.givenIds(environment));
  const highest = highestId();
  const isSettled = (listed: ListedFile | undefined) => {
    const { reservedUpTo, idsAfter = 0 } = listed ?? {};
    if (reservedUpTo === undefined || given === undefined) return false;
    return (
      given.highest <= Math.max(highest, idsAfter) && (given.isExact || idsAfter >= reservedUpTo)
    );
  };
  if (isSettled(requireManifest(folder).files[file])) return;
  updateManifest(folder, (found) => {
    const manifest = requireManifest(folder, found);
    const listed = manifest.files[file];
    // Another process may have been faster.
    if (isSettled(listed)) return manifest;
    const { reservedUpTo, idsAfter = 0 } = listed ?? {};
    if (reservedUpTo === undefined)
      return withFile(manifest, file, beginIds(folder, environment, highest));
    if (!given) writeGivenIds(folder.givenIds(environment), highest);
    const next = withFile(manifest, file, {
      ...listed,
      // A record of ids beyond the reserved block shows that the manifest is from before them.
      idsAfter: Math.max(reservedUpTo, given?.highest ?? 0),
    });
    const known = Math.max(highest, idsAfter);
    if (!given || given.highest <= known) return next;
    const foundAt = new Date(clock.now().wall).toISOString();
    const loss: Loss = { file, firstId: known + 1, lastId: given.highest, foundAt };
    return { ...next, losses: [...next.losses, loss] };
  });
}

/** The highest id that may have been acknowledged in an environment; 0 where none was recorded. */
export function highestGivenId(
  folder: DataFolder,
  manifest: Manifest | undefined,
  environment: Environment,
): number {
  const { reservedUpTo = 0, idsAfter = 0 } =
    manifest?.files[FILE_NAMES.database(environment)] ?? {};
  const given = readGivenIds(folder.givenIds(environment));
  return Math.max(given?.highest ?? 0, idsAfter, given?.isExact ? 0 : reservedUpTo);
}

/** The manifest with another entry for a database. */
export function withFile(manifest: Manifest, name: string, listed: ListedFile): Manifest {
  return { ...manifest, files: { ...manifest.files, [name]: listed } };
}
