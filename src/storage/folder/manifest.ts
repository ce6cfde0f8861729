import { renameSync, writeFileSync } from 'node:fs';
import { SetupError } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { type DataFolder, makeDurableIn } from '../data-folder.ts';
import { waitForLock } from '../sqlite/lock.ts';
import { readText } from './file-failures.ts';
import { shareOwner } from './owner.ts';

/**
 * The content of a data folder, recorded outside of its databases, so that a missing, emptied or foreign database is
 * detected. Stored as JSON in the folder.
 */
export interface Manifest {
  readonly format: 1;
  /** Identifies the store; each of its databases has the same id. */
  readonly storeId: string;
  /** The databases that the folder must contain, by file name. */
  readonly files: Readonly<Record<string, ListedFile>>;
  readonly losses: readonly Loss[];
}

/** The manifest's entry for one database; only environments have ids. */
export interface ListedFile {
  /** Whether the database was opened as part of this store and has stored its id since. */
  readonly hasIdentity?: boolean;
  /** The damage found while the service was running: the next start checks the complete file. */
  readonly damage?: string;
  /** Ids up to this one may be acknowledged without changing the manifest again. */
  readonly reservedUpTo?: number;
  /** New ids continue after this one, even if the highest id in the database is lower. */
  readonly idsAfter?: number;
}

/** Acknowledged data that a start did not find in the database. */
export interface Loss {
  /** The name of the database. */
  readonly file: string;
  /** `pets`, which includes orders, when absent; `changes` to the accounts; `everything` when all tables were lost. */
  readonly what?: LostKind;
  /**
   * The ids of the pets and orders, or the numbers of the changes. Some between the first and the last may never have
   * been assigned; the last is 0 if none is known.
   */
  readonly firstId: number;
  readonly lastId: number;
  /** ISO 8601, UTC. */
  readonly foundAt: string;
  /** When an operator acknowledged the loss; ISO 8601, UTC. */
  readonly acknowledgedAt?: string;
}

const LOST_KINDS = ['pets', 'changes', 'everything'] as const;
type LostKind = (typeof LOST_KINDS)[number];

/**
 * Reads the manifest; `undefined` when the folder has none.
 * @throws SetupError when it cannot be read.
 */
export function readManifest({ manifest: path }: DataFolder): Manifest | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  const manifest = parse(text);
  if (manifest) return manifest;
  throw new SetupError(
    `${path} is damaged. Restore a backup (petstore restore FILE --replace), or move it away and recreate it from the databases: petstore store recreate store.json`,
  );
}

function parse(text: string): Manifest | undefined {
  try {
    const manifest: unknown = JSON.parse(text);
    if (!isRecord(manifest)) return undefined;
    const { format, storeId, files, losses = [] } = manifest;
    const isSound = format === 1 && typeof storeId === 'string';
    return isSound && isFiles(files) && isLosses(losses)
      ? { format, storeId, files, losses }
      : undefined;
  } catch {
    return undefined;
  }
}

function isFiles(value: unknown): value is Manifest['files'] {
  return isRecord(value) && Object.values(value).every(isListedFile);
}

function isListedFile(value: unknown): value is ListedFile {
  return hasFields(value, {
    hasIdentity: optional((field) => typeof field === 'boolean'),
    damage: optional(isText),
    reservedUpTo: optional(isId),
    idsAfter: optional(isId),
  });
}

function isLosses(value: unknown): value is Manifest['losses'] {
  return Array.isArray(value) && value.every(isLoss);
}

function isLoss(value: unknown): value is Loss {
  return hasFields(value, {
    file: isText,
    what: optional((field) => LOST_KINDS.some((kind) => kind === field)),
    firstId: isId,
    lastId: isId,
    foundAt: isText,
    acknowledgedAt: optional(isText),
  });
}

type Check = (field: unknown) => boolean;

function hasFields(value: unknown, checks: Readonly<Record<string, Check>>): boolean {
  return isRecord(value) && Object.entries(checks).every(([name, check]) => check(value[name]));
}

function optional(check: Check): Check {
  return (field) => field === undefined || check(field);
}

function isText(field: unknown): boolean {
  return typeof field === 'string';
}

/** Whether the value is an id, or 0 for none. */
function isId(field: unknown): boolean {
  return typeof field === 'number' && Number.isSafeInteger(field) && field >= 0;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Adds a newly found loss to the manifest. */
export function withLoss(
  manifest: Manifest,
  loss: Omit<Loss, 'foundAt' | 'acknowledgedAt'>,
  clock: Clock,
): Manifest {
  const foundAt = new Date(clock.now().wall).toISOString();
  return { ...manifest, losses: [...manifest.losses, { ...loss, foundAt }] };
}

/** @throws SetupError when the folder has no manifest any more. */
export function requireManifest(
  folder: DataFolder,
  manifest: Manifest | undefined = readManifest(folder),
): Manifest {
  if (manifest) return manifest;
  throw new SetupError(`${folder.manifest} was removed.`);
}

/**
 * Changes the manifest under a lock that excludes other processes and threads.
 * @param change returns the new manifest, or the same object if nothing changes.
 * @param isDurable whether the change is durable when this returns; otherwise it is durable once the folder is synced.
 * @returns the current manifest.
 * @throws SetupError when it cannot be read or locked; or the system's error when it cannot be written.
 */
export function updateManifest(
  folder: DataFolder,
  change: (current: Manifest | undefined) => Manifest,
  isDurable = true,
): Manifest {
  using _lock = waitForLock(folder.manifestLock);
  const current = readManifest(folder);
  const next = change(current);
  if (next !== current) writeManifest(folder, next, isDurable);
  return next;
}

/**
 * Replaces the manifest atomically: after a crash the folder has either the old or the new one.
 * @param isDurable whether a crash after this returns always leaves the new one.
 */
export function writeManifest(folder: DataFolder, manifest: Manifest, isDurable = true): void {
  const draft = `${folder.manifest}.new`;
  const flush = !folder.isThrowaway;
  writeFileSync(draft, `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600, flush });
  shareOwner(draft);
  renameSync(draft, folder.manifest);
  if (isDurable) makeDurableIn(folder, folder.path);
}
