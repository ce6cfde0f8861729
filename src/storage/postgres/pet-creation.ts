import type { Environment } from '../../core/environments.ts';
import { StorageUnavailable } from '../../core/errors.ts';
import { creationReply } from '../../core/pets/pet-json.ts';
import type { CreateOutcome } from '../../core/pets/pet-store.ts';
import { petWithId } from '../../core/pets/pets.ts';
import { earlierOutcome, nameOf } from '../idempotent-requests.ts';
import { bucketOf } from '../pets/buckets.ts';
import type { Creation } from '../pets/pets.ts';
import type { PostgresDatabase, Statements } from './database.ts';
import { isTaken } from './failures.ts';
import { claim, recall } from './idempotent-requests.ts';
import { newIds } from './new-ids.ts';
import {
  insertNewPets,
  insertPets,
  type NumberedPet,
  skipTakenIds,
  withId,
} from './pet-insertion.ts';
import type { Queries } from './queries.ts';

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
  // On several nodes a single statement takes twice as long as the two statements below.
  if (!database.isDistributed && creations.every(({ request }) => !request)) {
    const given = creations.map(({ pet }) => pet);
    const pets = await insertNewPets(statements, environment, given);
    return pets.map((pet) => ({ kind: 'created', pet }));
  }
  // Read before ids are taken, so that a repeated request does not leave a gap.
  const outcomes = await earlierOutcomes(statements, environment, creations);
  const added = creations.filter((creation) => !outcomes.has(creation));
  if (added.length > 0) {
    const ids = await newIds(statements, environment, 'pets', added.length);
    const pets = added.map((creation, index) => ({
      creation,
      ...withId(creation.pet, ids[index]),
    }));
    for (const { creation, id } of pets) {
      outcomes.set(creation, { kind: 'created', pet: petWithId(id, creation.pet) });
    }
    const raced = await insert(statements, environment, pets);
    for (const [creation, outcome] of raced) outcomes.set(creation, outcome);
  }
  return creations.flatMap((creation) => outcomes.get(creation) ?? []);
}

interface NewPet extends NumberedPet {
  readonly creation: Creation;
}

/**
 * Outside of a transaction, a node may store the pets before its connection breaks, so that it is unknown whether they
 * exist; inside, they do not.
 * @returns the outcomes of requests that another process handled in the meantime; no pets were added for them.
 * @throws StorageUnavailable when the row of one of them was deleted in the meantime; no pets were added at all.
 */
async function insert(
  statements: Statements,
  environment: Environment,
  pets: readonly NewPet[],
): Promise<ReadonlyMap<Creation, CreateOutcome>> {
  const claims = pets.flatMap(({ creation: { request, now, pet }, id }) =>
    request ? { request, now, petId: id, reply: creationReply(petWithId(id, pet)) } : [],
  );
  if (claims.length === 0 && new Set(pets.map(({ id }) => bucketOf(id))).size === 1) {
    await insertPets(statements, environment, pets);
    return new Map();
  }
  return statements.transaction(async (queries) => {
    const claimed = await claim(queries, environment, claims);
    const isLost = ({ creation, id }: NewPet) => creation.request && !claimed.has(id);
    const lost = pets.filter(isLost).map(({ creation }) => creation);
    const own = pets.filter((pet) => !isLost(pet));
    await insertPets(queries, environment, own);
    const raced = await earlierOutcomes(queries, environment, lost);
    if (raced.size === lost.length) return raced;
    throw new StorageUnavailable(new Error('An idempotent request was deleted meanwhile.'));
  });
}

/** The outcomes of creations whose request was handled before. */
async function earlierOutcomes(
  queries: Queries,
  environment: Environment,
  creations: readonly Creation[],
): Promise<Map<Creation, CreateOutcome>> {
  const requests = creations.flatMap(({ request }) => request ?? []);
  const earlier = await recall(queries, environment, requests);
  const outcomes = new Map<Creation, CreateOutcome>();
  for (const creation of creations) {
    const { request, now } = creation;
    const row = request && earlier.get(nameOf(request));
    const outcome = row && earlierOutcome(request, now, row);
    if (outcome) outcomes.set(creation, outcome);
  }
  return outcomes;
}
