import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { PetstoreClient } from '../../../client/src/index.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { Order } from '../../../src/core/orders/orders.ts';
import type { Pet } from '../../../src/core/pets/pets.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openStores } from '../../../src/storage/open-stores.ts';
import { temporaryFolder } from '../../support/harness.ts';
import { ServiceProcess } from '../../support/process.ts';
import { REUSED_THREADS } from '../../support/reused-threads.ts';
import { clientOf, makeKey, onFolder, seededRandom } from '../../support/storage.ts';
import { type DiskOperation, FaultyDisk } from './faulty-disk.ts';
import { CutDisk } from './power-cut.ts';

/** More orders than a run makes. */
const MOST_ORDERS = 10_000;

/** The number of concurrent creations. */
const CONNECTIONS = 8;

/** A run of a service with all operations on its data folder. */
interface RecordedRun {
  readonly folder: string;
  /** A copy of the folder before the run. */
  readonly base: string;
  readonly operations: readonly DiskOperation[];
  readonly acknowledged: readonly Acknowledged[];
}

/** What the last acknowledged request did to an animal. */
type Step = 'created' | 'renamed' | 'ordered' | 'deleted';

interface Acknowledged {
  readonly id: number;
  readonly name: string;
  readonly step: Step;
  /** The size of the record when the reply had been received. */
  readonly recorded: number;
}

/** The second request for an animal, in turn; most have none. */
const SECOND_STEPS = [undefined, undefined, 'renamed', 'ordered', 'deleted'] as const;

export interface PowerCutOptions {
  /** The number of pets that are created in the recorded run; some are then renamed, ordered or deleted. */
  readonly creations: number;
  /** The number of images that are built and opened. */
  readonly images: number;
  /** Determines the moments of the power cuts, and which changes without an fsync remain. */
  readonly seed: number;
  /** Whether the disk confirms an fsync without writing: the control, which must lose pets. */
  readonly ignoresFsync?: boolean;
}

export interface PowerCutResult {
  readonly images: number;
  /** The total number of acknowledged requests whose outcome must be on the images. */
  readonly expected: number;
  /** The faulty images with their problems. */
  readonly failures: readonly string[];
}

/** Records a run of the service, simulates power cuts at many moments of it, and opens every image. */
export async function cutPower(options: PowerCutOptions): Promise<PowerCutResult> {
  using files = temporaryFolder();
  const run = await recordRun(files.path, options.creations);
  const random = seededRandom(options.seed);
  const cuts = Array.from({ length: options.images }, () =>
    Math.floor(random() * (run.operations.length + 1)),
  ).sort((one, other) => one - other);
  const disk = new CutDisk(run.folder, run.base, options);
  const failures: string[] = [];
  let expected = 0;
  let applied = 0;
  for (const [number, cut] of cuts.entries()) {
    for (; applied < cut; applied += 1) disk.apply(run.operations[applied] as DiskOperation);
    const writtenUpTo = run.operations[cut - 1]?.end ?? 0;
    const acknowledged = run.acknowledged.filter(({ recorded }) => recorded <= writtenUpTo);
    expected += acknowledged.length;
    using image = temporaryFolder();
    disk.cut(image.path, random);
    const failure = await check(image.path, acknowledged);
    if (failure !== undefined) failures.push(`image ${number}, after operation ${cut}: ${failure}`);
  }
  return { images: cuts.length, expected, failures };
}

async function recordRun(files: string, creations: number): Promise<RecordedRun> {
  const [folder, base] = [join(files, 'data'), join(files, 'base')];
  const key = await makeKey(folder);
  cpSync(folder, base, { recursive: true });
  const disk = await FaultyDisk.compile(files);
  await using service = await ServiceProcess.start(disk.settings(folder));
  const client = clientOf(service, key);
  const acknowledged: Acknowledged[] = [];
  const names = Array.from({ length: creations }, (_, index) => `pet ${index}`).values();
  const create = async () => {
    for (const name of names) {
      const id = Number((await client.createPet({ name, categoryId: 1 })).id);
      acknowledged.push({ id, name, step: 'created', recorded: disk.recorded });
      const step = SECOND_STEPS[id % SECOND_STEPS.length];
      if (step === undefined) continue;
      await makeStep(client, step, id, name);
      acknowledged.push({ id, name, step, recorded: disk.recorded });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, create));
  const code = await service.end('SIGTERM');
  if (code !== 0) throw new Error(`the recorded service ended with ${code}`);
  return { folder, base, operations: disk.operations(), acknowledged };
}

async function makeStep(
  client: PetstoreClient,
  step: Exclude<Step, 'created'>,
  id: number,
  name: string,
): Promise<void> {
  if (step === 'renamed') await client.updatePet(id, { name: renamed(name) });
  else if (step === 'ordered') await client.createOrder({ petId: id });
  else await client.deletePet(id);
}

function renamed(name: string): string {
  return `${name} renamed`;
}

/** Opens an image like the service; returns its problems. */
async function check(
  image: string,
  acknowledged: readonly Acknowledged[],
): Promise<string | undefined> {
  try {
    const stores = await openStores(readConfig(onFolder(image)), systemClock, REUSED_THREADS);
    try {
      const { pets, orders } = stores.environment('production');
      const found = new Map<number, Pet>();
      for (let after = 0, more = true; more; after = Math.max(0, ...found.keys())) {
        const page = await pets.list({ limit: 1_000, after });
        for (const pet of page.pets) found.set(pet.id, pet);
        more = page.more;
      }
      const placed = await orders.listAll({ limit: MOST_ORDERS, after: 0 });
      return problemOf(found, placed.orders, acknowledged);
    } finally {
      await stores.close();
    }
  } catch (error) {
    return `it cannot be opened: ${error}`;
  }
}

/** @param acknowledged the steps up to the power cut; a later one may or may not be there. */
function problemOf(
  found: ReadonlyMap<number, Pet>,
  orders: readonly Order[],
  acknowledged: readonly Acknowledged[],
): string | undefined {
  const ordered = new Set(orders.map(({ petId }) => petId));
  const reserved = [...found.values()].filter(({ status }) => status === 'pending');
  const isConsistent =
    ordered.size === orders.length &&
    reserved.length === ordered.size &&
    reserved.every(({ id }) => ordered.has(id));
  if (!isConsistent) return 'animals are not pending exactly by their orders';
  const last = new Map(acknowledged.map((each) => [each.id, each]));
  const lost = [...last.values()].filter((each) => !isThere(each, found.get(each.id)));
  return lost.length === 0 ? undefined : `${lost.length} acknowledged requests are lost`;
}

function isThere({ id, name, step }: Acknowledged, pet: Pet | undefined): boolean {
  const next = SECOND_STEPS[id % SECOND_STEPS.length];
  switch (step) {
    case 'created':
      return pet === undefined ? next === 'deleted' : [name, renamed(name)].includes(pet.name);
    case 'renamed':
      return pet?.name === renamed(name);
    case 'ordered':
      return pet?.status === 'pending';
    case 'deleted':
      return pet === undefined;
  }
}
