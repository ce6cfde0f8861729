import type { Config } from '../../config/config.ts';
import { OperatorError } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { dataFolderAt } from '../data-folder.ts';
import {
  type Loss,
  type Manifest,
  readManifest,
  requireManifest,
  updateManifest,
} from './manifest.ts';

/** Losses that operators must hear of. */
export function unacknowledgedLosses(manifest: Manifest | undefined): readonly Loss[] {
  return (manifest?.losses ?? []).filter(({ acknowledgedAt }) => acknowledgedAt === undefined);
}

/** A loss in a sentence. */
export function describeLoss({ file, firstId, lastId, foundAt }: Loss): string {
  const what =
    firstId === lastId
      ? `the acknowledged animal with id ${firstId}`
      : `up to ${lastId - firstId + 1} acknowledged animals, with ids from ${firstId} to ${lastId}`;
  return `${file} has lost ${what} (found ${foundAt}).`;
}

/**
 * Records that an operator knows of all losses, also while the service runs.
 * @returns the losses that were not acknowledged before.
 * @throws OperatorError when there is none.
 */
export function acknowledgeLosses({ dataDir }: Config, clock: Clock): readonly Loss[] {
  const folder = dataFolderAt(dataDir);
  const losses = unacknowledgedLosses(readManifest(folder));
  if (losses.length === 0) throw new OperatorError(`${dataDir} has no loss to acknowledge.`);
  const acknowledgedAt = new Date(clock.now().wall).toISOString();
  updateManifest(folder, (found) => {
    const manifest = requireManifest(folder, found);
    return { ...manifest, losses: manifest.losses.map((loss) => ({ acknowledgedAt, ...loss })) };
  });
  return losses;
}
