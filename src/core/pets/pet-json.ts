import { entityTagOf } from '../entity-tags.ts';
import type { StoredReply } from '../idempotency.ts';
import type { Pet } from './pets.ts';

/** A pet as JSON text, with exact integers: the fields of the contract, whatever else the object has. */
export function petJson(pet: Pet): string {
  const { id, name, categoryId, status } = pet;
  return isPlain(pet) ? JSON.stringify({ id, name, categoryId, status }) : writeByHand(pet);
}

/** A page of pets as JSON text, with exact integers. */
export function petsJson(pets: readonly Pet[]): string {
  return pets.every(isPlain) ? JSON.stringify(pets) : `[${pets.map(petJson).join(',')}]`;
}

/** The strong entity tag of a pet, which changes with each of its fields. */
export function petEntityTag(pet: Pet): string {
  return entityTagOf(petJson(pet));
}

/** The reply to the creation of a pet. */
export function creationReply(pet: Pet): StoredReply {
  return { status: 201, body: petJson(pet) };
}

function isPlain({ categoryId }: Pet): boolean {
  return typeof categoryId === 'number';
}

// JSON.stringify throws on a bigint; a template string writes every digit.
function writeByHand({ id, name, categoryId, status }: Pet): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}
