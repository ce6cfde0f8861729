import type { Environment } from '../../core/environments.ts';
import { StorageUnavailable } from '../../core/errors.ts';
import { isExpired } from '../../core/idempotency.ts';
import type { CreateOutcome } from '../../core/pets/pet-store.ts';
import type { Pet } from '../../core/pets/pets.ts';
import { bucketOf } from '../pets/buckets.ts';
import { type Creation, nameOf } from '../pets/pets.ts';
import type { PostgresDatabase, Statements } from './database.ts';
import { isTaken } from './failures.ts';
import { claim, type Earlier, recall } from './idempotent-requests.ts';
import { newIds } from './new-ids.ts';
import { insertNewPets, insertPets, skipTakenIds } from './pet-insertion.ts';

/** How often new ids are taken before creating pets fails. */
const TRIES = 5;

/**
 * Adds many pets in one transaction, and returns their outcomes in the same order. No two of them may have the same
 * idempotent request.
 * @throws StorageUnavailable
 */
export async function createPets(
  database: PostgresDatabase,
  environment: Environment,
  creations: readonly Creation[],
): Promise<CreateOutcome[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await tryToCreatePets(database, environment, creations);
    } catch (error) {
      // If an id was taken before a reset and its pet inserted after it, the sequence reaches that id again.
      if (!isTaken(error)) throw error;
      if (tries === TRIES) throw new StorageUnavailable(error);
      await skipTakenIds(database.of('creations'), environment);
    }
  }
}

async function tryToCreatePets(
  database: PostgresDatabase,
  environment: Environment,
  creations: readonly Creation[],
): Promise<CreateOutcome[]> {
  const statements = database.of('creations');
  const requests = creations.flatMap(({ request }) => request ?? []);
  // On several nodes a single statement takes twice as long as the two statements below.
  if (requests.length === 0 && !database.isDistributed) {
    const added = await insertNewPets(
      statements,
      environment,
      creations.map(({ pet }) => pet),
    );
    return added.map((pet) => ({ kind: 'created', pet }));
  }
  // Read before ids are taken, so that a repeated request does not leave a gap.
  const earlier = await recall(statements, environment, requests);
  const outcomes = creations.map((creation) => earlierOutcome(creation, earlier));
  const missing = outcomes.filter((outcome) => outcome === undefined).length;
  const ids = missing > 0 ? await newIds(statements, environment, 'pets', missing) : [];
  const pets = new Map<Creation, Pet>();
  for (const [index, creation] of creations.entries()) {
    const id = outcomes[index] ? undefined : ids[pets.size];
    if (id !== undefined) pets.set(creation, { id, ...creation.pet });
  }
  const raced = pets.size > 0 ? await insert(statements, environment, pets) : new Map();
  return creations.map((creation, index) => {
    const pet = pets.get(creation);
    const known = outcomes[index] ?? earlierOutcome(creation, raced);
    if (known) return known;
    if (!pet) throw new Error('The database gave too few ids.');
    return { kind: 'created', pet };
  });
}

/**
 * Outside of a transaction, a node may store the pets before its connection breaks, so that it is unknown whether they
 * exist; inside, they do not.
 * @returns the requests that another process handled in the meantime; no pets were added for them.
 * @throws StorageUnavailable when the row of one of them was deleted in the meantime; no pets were added at all.
 */
async function insert(
  statements: Statements,
  environment: Environment,
  pets: ReadonlyMap<Creation, Pet>,
): Promise<Map<string, Earlier>> {
  const repeatable = [...pets].flatMap(([{ request, now }, pet]) =>
    request ? [{ request, now, pet }] : [],
  );
  const added = [...pets.values()];
  const buckets = [...new Set(added.map(({ id }) => bucketOf(id)))];
  if (repeatable.length === 0 && buckets.length === 1) {
    await insertPets(statements, environment, added);
    return new Map();
  }
  return statements.transaction(async (queries) => {
    const ours = await claim(queries, environment, repeatable);
    const lost = repeatable.filter(({ pet }) => !ours.has(pet.id));
    const lostIds = new Set(lost.map(({ pet }) => pet.id));
    const ownPets = added.filter(({ id }) => !lostIds.has(id));
    await insertPets(queries, environment, ownPets);
    const requests = lost.map(({ request }) => request);
    const raced = await recall(queries, environment, requests);
    if (raced.size < lost.length) {
      throw new StorageUnavailable(new Error('An idempotent request was deleted meanwhile.'));
    }
    return raced;
  });
}

function earlierOutcome(
  { request, now }: Creation,
  earlier: ReadonlyMap<string, Earlier>,
): CreateOutcome | undefined {
  const row = request && earlier.get(nameOf(request));
  if (!row || isExpired(row.created_at, now)) return undefined;
  if (row.fingerprint !== request.fingerprint) return { kind: 'mismatch' };
  return { kind: 'replayed', reply: row.reply };
}
