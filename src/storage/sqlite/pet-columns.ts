import type { OwnedPet } from '../../core/pets/pets.ts';
import type { Int64 } from '../../lib/int64.ts';

/** A pet to be added, in a short form for messages to the writer thread. */
export type PetColumns = readonly [name: string, categoryId: Int64, status: string];

export function columnsOf({ name, categoryId, status }: OwnedPet): PetColumns {
  return [name, categoryId, status];
}
