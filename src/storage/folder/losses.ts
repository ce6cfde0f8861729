import type { Config } from '../../config/config.ts';
import { OperatorError } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { type DataFolder, dataFolderAt, FILE_NAMES } from '../data-folder.ts';
import { readAcknowledged, writeAcknowledged } from './acknowledged.ts';
import { isThere } from './file-failures.ts';
import { type Loss, type Manifest, requireManifest, updateManifest, withLoss } from './manifest.ts';

/** Losses that no operator has acknowledged. */
export function unacknowledgedLosses(manifest: Manifest | undefined): readonly Loss[] {
  return (manifest?.losses ?? []).filter(({ acknowledgedAt }) => acknowledgedAt === undefined);
}

/** A sentence that describes a loss. */
export function describeLoss(loss: Loss): string {
  return `${loss.file} has lost ${describeLost(loss)} (found ${loss.foundAt}).`;
}

function describeLost({ what = 'pets', firstId, lastId }: Loss): string {
  const count = lastId - firstId + 1;
  if (what === 'changes') {
    return `up to ${count} acknowledged changes of accounts, keys, bans and messages`;
  }
  const everything = 'everything that it held';
  if (count <= 0) return everything;
  // Animals and orders have one record of acknowledged ids.
  const rows =
    count === 1
      ? `the acknowledged animal or order with id ${firstId}`
      : `up to ${count} acknowledged animals or orders, with ids from ${firstId} to ${lastId}`;
  return what === 'everything' ? `${rows}, and ${everything}` : rows;
}

/**
 * Records that an operator has acknowledged all losses; the service may be running.
 * @returns the losses that were not acknowledged before.
 * @throws OperatorError when there are none.
 */
export function acknowledgeLosses({ dataDir }: Config, clock: Clock): readonly Loss[] {
  const folder = dataFolderAt(dataDir);
  const acknowledgedAt = new Date(clock.now().wall).toISOString();
  let losses: readonly Loss[] = [];
  if (isThere(folder.manifest)) {
    updateManifest(folder, (found) => {
      const manifest = requireManifest(folder, found);
      losses = unacknowledgedLosses(manifest);
      if (losses.length === 0) return manifest;
      return { ...manifest, losses: manifest.losses.map((loss) => ({ acknowledgedAt, ...loss })) };
    });
  }
  if (losses.length === 0) throw new OperatorError(`${dataDir} has no loss to acknowledge.`);
  return losses;
}

/**
 * Compares the accounts with the acknowledged changes. A loss is added to the manifest.
 * @param lastChange reads the number of the last change that the database holds, or 0.
 */
export function checkChanges(folder: DataFolder, lastChange: () => number, clock: Clock): void {
  const path = folder.acknowledged('accounts');
  // Read first: another process may be making changes and records their numbers after the commit.
  const acknowledged = readAcknowledged(path)?.highest;
  const last = lastChange();
  if (acknowledged !== undefined && acknowledged <= last) return;
  if (acknowledged !== undefined) {
    const loss = { file: FILE_NAMES.accounts, firstId: last + 1, lastId: acknowledged } as const;
    updateManifest(folder, (found) =>
      withLoss(requireManifest(folder, found), { ...loss, what: 'changes' }, clock),
    );
  }
  // Written last, so that a loss that could not be recorded is found again.
  writeAcknowledged(path, last);
}
