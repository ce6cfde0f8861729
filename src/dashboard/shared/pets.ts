import type { OrderStatus } from '../../core/orders/orders.ts';
import type { PetStatus } from '../../core/pets/pets.ts';

/* Animals in the dashboard's own API, with the rules of the public API. They do not count towards the limits of the
   plan; changes have limits of their own. `{environment}` is production or staging. */

/** How many animals POST /api/staging/pets/samples adds. */
export const SAMPLES = 20;

/**
 * GET /api/{environment}/pets -> PetPageInfo, the newest first. `status` and `id` select animals; `before` is the `next` of
 * the page before.
 */
export interface PetPageInfo {
  /** At most 25. */
  readonly pets: readonly PetInfo[];
  /** Where older animals begin; `null` on the last page. */
  readonly next: number | null;
}

/**
 * GET /api/{environment}/pets/{id} -> PetInfo, 404 `pet_not_found`. DELETE -> 204. Refusals of a change or a deletion are
 * those of the public API: 403 `not_owner`, 409 `pet_reserved`, 409 `invalid_transition`.
 */
export interface PetInfo {
  readonly id: number;
  readonly name: string;
  /** The decimal digits of an int64, because `JSON.parse` rounds integers beyond 2^53. */
  readonly categoryId: string;
  readonly status: PetStatus;
  /** The account that it belongs to, which alone may change and delete it. Those of nobody may be changed by anyone. */
  readonly owner: 'you' | 'nobody' | 'another';
  /** Whether an order for it is open, so that its status cannot change by hand and it cannot be deleted. */
  readonly isReserved: boolean;
  /** The reader's latest order for it, also after it has ended; `null` in lists, and if the service serves no orders. */
  readonly order: { readonly id: number; readonly status: OrderStatus } | null;
  /** Differs after each change of a field. */
  readonly version: string;
}

/** POST /api/{environment}/pets -> 201 PetInfo. POST /api/staging/pets/samples -> 201 SamplesInfo. */
export interface NewPetInfo {
  readonly name: string;
  readonly categoryId: string;
  readonly status?: PetStatus;
}

export interface SamplesInfo {
  readonly added: number;
}

/** PUT /api/{environment}/pets/{id} -> PetInfo: the fields to change. */
export interface PetChangeInfo extends Partial<NewPetInfo> {
  /** The version that the change is based on: 409 if the animal has another one. By default any. */
  readonly version?: string;
}
