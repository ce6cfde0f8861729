import type { Environment } from '../../core/environments.ts';
import { type OwnedPet, type Pet, petWithId } from '../../core/pets/pets.ts';
import { storedAccountId } from '../account-ids.ts';
import { BUCKET_SIZE, bucketOf } from '../pets/buckets.ts';
import { integers, type Queries, texts } from './queries.ts';

/** The highest assigned id; its pet may not be committed yet. */
export async function highestId(queries: Queries, environment: Environment): Promise<number> {
  const row = await queries.get<{ id: number }>(
    `SELECT last_value::float8 AS id FROM ${environment}_pet_ids`,
  );
  return row?.id ?? 0;
}

/** A pet with its id, to be inserted. */
export interface NumberedPet extends OwnedPet {
  readonly id: number;
}

/** @throws Error when the database gave too few ids. */
export function withId(pet: OwnedPet, id: number | undefined): NumberedPet {
  if (id === undefined) throw new Error('The database gave too few ids.');
  return { ...pet, id };
}

/** Continues new ids after the highest id of a pet, if that was assigned before a reset. */
export async function skipTakenIds(queries: Queries, environment: Environment): Promise<void> {
  await queries.all(
    `SELECT setval('${environment}_pet_ids', highest)
     FROM (SELECT max(id) AS highest FROM pets WHERE environment = $1) AS pets
     WHERE highest > (SELECT last_value FROM ${environment}_pet_ids)`,
    environment,
  );
}

/** The stored owner, from its hexadecimal digits or from an empty text for nobody. */
const OWNER = "decode(nullif(owner, ''), 'hex')";

/** Adds pets with ids from `newIds`: one statement per bucket, so usually a single one. */
export async function insertPets(
  queries: Queries,
  environment: Environment,
  pets: readonly NumberedPet[],
): Promise<void> {
  for (const [bucket, members] of Map.groupBy(pets, ({ id }) => bucketOf(id))) {
    await queries.run(
      `INSERT INTO pets (environment, bucket, id, name, category_id, status, owner)
       SELECT $1, $2::bigint, id, name, category_id, status, ${OWNER}
       FROM unnest($3::text[], $4::bigint[], $5::text[], $6::text[], $7::bigint[])
         AS given (name, category_id, status, owner, id)`,
      environment,
      bucket,
      ...columnsOf(members),
      integers(members.map(({ id }) => id)),
    );
  }
}

/**
 * Adds pets with new ids in one statement and so in one round trip.
 * @returns the pets, in the given order.
 */
export async function insertNewPets(
  queries: Queries,
  environment: Environment,
  pets: readonly OwnedPet[],
): Promise<Pet[]> {
  const rows = await queries.all<{ id: number }>(
    `WITH numbered AS MATERIALIZED (
       SELECT nextval('${environment}_pet_ids') AS id, given.*
       FROM unnest($2::text[], $3::bigint[], $4::text[], $5::text[]) WITH ORDINALITY
         AS given (name, category_id, status, owner, place)
     ), added AS (
       INSERT INTO pets (environment, bucket, id, name, category_id, status, owner)
       SELECT $1, id / ${BUCKET_SIZE}, id, name, category_id, status, ${OWNER} FROM numbered
     )
     SELECT id::float8 AS id FROM numbered ORDER BY place`,
    environment,
    ...columnsOf(pets),
  );
  return pets.map((pet, index) => {
    const { id } = withId(pet, rows[index]?.id);
    return petWithId(id, pet);
  });
}

function columnsOf(pets: readonly OwnedPet[]) {
  return [
    texts(pets.map(({ name }) => name)),
    integers(pets.map(({ categoryId }) => categoryId)),
    texts(pets.map(({ status }) => status)),
    texts(
      pets.map(({ owner }) => (owner === undefined ? '' : storedAccountId(owner).toString('hex'))),
    ),
  ];
}
