import type { Awaitable } from '../../lib/awaitable.ts';
import type { Instant } from '../../lib/clock.ts';
import type { IdempotentRequest, StoredReply } from '../idempotency.ts';
import type {
  DeleteOutcome,
  OwnedDeletion,
  PetChangeRequest,
  PetChangesListener,
  PetPatch,
  StoredPet,
  UpdateOutcome,
} from './pet-changes.ts';
import type { OwnedPet, Pet, PetStatus } from './pets.ts';

/** One page of the list: keyset pagination in ascending id. */
export interface PetQuery {
  /** 1 to 100. */
  readonly limit: number;
  readonly status?: PetStatus | undefined;
  /** Only pets with a greater id; 0 for the first page. */
  readonly after: number;
}

/** Selects the newest pets. */
export interface NewestPets {
  readonly limit: number;
  readonly status?: PetStatus | undefined;
  /** Only pets with a smaller id. */
  readonly before?: number | undefined;
}

export interface PetPage {
  readonly pets: readonly Pet[];
  /** Whether more pets follow the last one of this page. */
  readonly more: boolean;
  /** The id of the first of them. */
  readonly next?: number | undefined;
  /**
   * Whether the page may be cached: it is full, more pets follow, and none can be added before its end any more. So the
   * same query returns the same page until one of its pets changes, or another one enters it, or the next one leaves.
   */
  readonly isCacheable: boolean;
}

export type CreateOutcome =
  | { readonly kind: 'created'; readonly pet: Pet }
  /** The same request was processed before; `reply` is its first reply. */
  | { readonly kind: 'replayed'; readonly reply: StoredReply }
  /** The idempotency key was used before with another body. */
  | { readonly kind: 'mismatch' }
  /** A request with the same idempotency key is in flight. */
  | { readonly kind: 'conflict' };

/** The pets of one environment. Every call may raise `StorageUnavailable`. */
export interface PetStore {
  list(query: PetQuery): Awaitable<PetPage>;
  get(id: number): Awaitable<Pet | undefined>;
  /** The newest pets as they are stored, in descending id. For people: slower than `list` in a sharded database. */
  newest(query: NewestPets): Awaitable<readonly StoredPet[]>;
  /** A pet as it is stored. */
  find(id: number): Awaitable<StoredPet | undefined>;
  /** Resolves once the pet and its idempotent request are durable, in one transaction. */
  create(pet: OwnedPet, now: Instant, request?: IdempotentRequest): Promise<CreateOutcome>;
  /** Adds many pets in one transaction. */
  import(pets: readonly OwnedPet[]): Promise<void>;
  /** Changes a pet, in one transaction with the checks. Resolves once the change is durable. */
  update(request: PetChangeRequest, patch: PetPatch): Promise<UpdateOutcome>;
  /** Deletes a pet, in one transaction with the checks. Resolves once the deletion is durable. */
  delete(request: PetChangeRequest): Promise<DeleteOutcome>;
  /**
   * Deletes the pets of an account, in batches, except those with an open order. A deletion that was interrupted goes on
   * when it is called again.
   */
  deleteOwned(accountId: string): Promise<OwnedDeletion>;
  /** Deletes the idempotent requests of an account that were made after `since` (epoch ms). */
  forgetRequests(accountId: string, since: number): Promise<void>;
  /** Calls the listener with the changes that `applyChanges`, `applyOwnChanges` and `invalidatePages` apply. */
  onChanges(listener: PetChangesListener): void;
  /**
   * Applies the changes by all processes that were committed before this call. If that fails it applies `everything`
   * instead and raises `StorageUnavailable`.
   */
  applyChanges(): Promise<void>;
  /**
   * Like `applyChanges`, but never rejects: must be called after each commit of this process that changed pets, before
   * its reply.
   */
  applyOwnChanges(): Promise<void>;
  /** Applies `everything`, because an environment was reset. */
  invalidatePages(): void;
  /** Deletes changes that every process has applied. */
  pruneChanges(): Promise<void>;
  /** Deletes idempotent requests that are older than 24 hours. */
  pruneRequests(now: Instant): Promise<void>;
}
