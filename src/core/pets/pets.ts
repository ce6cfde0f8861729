import type { Int64 } from '../../lib/int64.ts';

/** Availability of a pet: the enum of the contract, in the same order. */
export const PET_STATUSES = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

/** The status of a new pet when none is given. */
export const DEFAULT_STATUS: PetStatus = 'available';

/** The longest name, in Unicode code points. */
export const NAME_MAX_LENGTH = 255;

/** Pets per page of the list: range and default of `limit`. */
export const PAGE_SIZE = { minimum: 1, maximum: 100, default: 20 } as const;

export interface NewPet {
  /** 1 to 255 code points, stored as sent. */
  readonly name: string;
  readonly categoryId: Int64;
  readonly status: PetStatus;
}

/** A pet to be added. */
export interface OwnedPet extends NewPet {
  /** The account that the pet belongs to; without it anyone may change the pet. Never on the wire. */
  readonly owner?: string | undefined;
}

export interface Pet extends NewPet {
  /** Assigned by the service, ascending, at most 2^53 - 1. Never assigned again. */
  readonly id: number;
}

/** A new pet with its id, without its owner. */
export function petWithId(id: number, { name, categoryId, status }: NewPet): Pet {
  return { id, name, categoryId, status };
}
