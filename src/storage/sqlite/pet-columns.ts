import type { OwnedPet } from '../../core/pets/pets.ts';
import type { Int64 } from '../../lib/int64.ts';

/** A pet to be added, in a short form for messages to the writer thread. The owner is the id of an account. */
export type PetColumns = readonly [
  name: string,
  categoryId: Int64,
  status: string,
  owner: string | null,
];

export function columnsOf({ name, categoryId, status, owner }: OwnedPet): PetColumns {
  return [name, categoryId, status, owner ?? null];
}
