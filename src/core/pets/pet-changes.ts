import type { Int64 } from '../../lib/int64.ts';
import { failedPrecondition, type Precondition, type PreconditionHeader } from '../entity-tags.ts';
import type { Transitions } from '../transitions.ts';
import { petEntityTag } from './pet-json.ts';
import type { Pet, PetStatus } from './pets.ts';

/** The statuses that a pet may get by hand, by the one that it has. Keeping the same status is always allowed. */
export const PET_TRANSITIONS: Transitions<PetStatus> = {
  available: ['pending', 'sold'],
  pending: ['available', 'sold'],
  // It came back.
  sold: ['available'],
};

/** The fields of a pet that a change replaces; at least one. */
export interface PetPatch {
  readonly name?: string | undefined;
  readonly categoryId?: Int64 | undefined;
  readonly status?: PetStatus | undefined;
}

/** A request to change or delete a pet. */
export interface PetChangeRequest {
  readonly id: number;
  /** The account that asks. */
  readonly accountId: string;
  readonly precondition?: Precondition | undefined;
}

/** Why a pet was not changed or deleted, in the order of the checks. */
export type PetRefusal =
  | { readonly kind: 'not_found' }
  /** The pet belongs to this other account, which exists. */
  | { readonly kind: 'not_owner'; readonly owner: string }
  | { readonly kind: 'precondition_failed'; readonly header: PreconditionHeader }
  /** An order for the pet is open. */
  | { readonly kind: 'reserved' };

export type UpdateOutcome =
  /** The pet as it is now, whether anything had to be written or not. */
  | { readonly kind: 'updated'; readonly pet: Pet }
  | PetRefusal
  | {
      readonly kind: 'invalid_transition';
      readonly from: PetStatus;
      readonly to: PetStatus;
    };

export type DeleteOutcome = { readonly kind: 'deleted' } | PetRefusal;

/** A change of a pet, of any of its fields, that was committed. */
export interface PetChange {
  readonly id: number;
  readonly before: PetStatus;
  /** `undefined` if the pet was deleted. */
  readonly after: PetStatus | undefined;
}

/** Changes of pets, in any order; `everything` when they are unknown. */
export type PetChanges = readonly PetChange[] | 'everything';

/** Receives the changes of pets by all processes; may receive the same change twice. */
export type PetChangesListener = (changes: PetChanges) => void;

/** The result of deleting the pets of an account. */
export interface OwnedDeletion {
  readonly deleted: number;
  /** The pets that are left because an order for them is open. */
  readonly kept: number;
}

/** A pet as it is stored. */
export interface StoredPet {
  readonly pet: Pet;
  /** The account that added it; `undefined` for pets of nobody. */
  readonly owner: string | undefined;
  /** The id of its open order. */
  readonly openOrder: number | undefined;
}

/**
 * Decides on a change, in the transaction that makes it.
 * @returns the outcome; the change must be written only if the pet of the outcome is another object than the stored one.
 */
export function decideUpdate(
  stored: StoredPet | undefined,
  patch: PetPatch,
  request: PetChangeRequest,
): UpdateOutcome {
  const refusal = refuseChange(stored, request);
  if (refusal || !stored) return refusal ?? { kind: 'not_found' };
  const { pet, openOrder } = stored;
  const from = pet.status;
  const to = patch.status ?? from;
  if (to !== from && openOrder !== undefined) return { kind: 'reserved' };
  if (to !== from && !PET_TRANSITIONS[from].includes(to)) {
    return { kind: 'invalid_transition', from, to };
  }
  const name = patch.name ?? pet.name;
  const categoryId = patch.categoryId ?? pet.categoryId;
  const isSame = name === pet.name && categoryId === pet.categoryId && to === from;
  return { kind: 'updated', pet: isSame ? pet : { id: pet.id, name, categoryId, status: to } };
}

/** Decides on a deletion, in the transaction that makes it. */
export function decideDeletion(
  stored: StoredPet | undefined,
  request: PetChangeRequest,
): DeleteOutcome {
  const refusal = refuseChange(stored, request);
  if (refusal) return refusal;
  return stored?.openOrder === undefined ? { kind: 'deleted' } : { kind: 'reserved' };
}

function refuseChange(
  stored: StoredPet | undefined,
  { accountId, precondition }: PetChangeRequest,
): PetRefusal | undefined {
  if (!stored) return { kind: 'not_found' };
  const { owner, pet } = stored;
  if (owner !== undefined && owner !== accountId) {
    return { kind: 'not_owner', owner };
  }
  const header = precondition && failedPrecondition(petEntityTag(pet), precondition);
  return header && { kind: 'precondition_failed', header };
}
