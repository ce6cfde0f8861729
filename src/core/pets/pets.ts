import type { Awaitable } from '../../lib/awaitable.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Int64 } from '../../lib/int64.ts';
import type { IdempotentRequest, StoredReply } from '../idempotency.ts';

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

export interface Pet extends NewPet {
  /** Assigned by the service, ascending, at most 2^53 - 1. A pet never changes once it is created. */
  readonly id: number;
}

/** One page of the list: keyset pagination in ascending id. */
export interface PetQuery {
  /** 1 to 100. */
  readonly limit: number;
  readonly status?: PetStatus | undefined;
  /** Only pets with a greater id; 0 for the first page. */
  readonly after: number;
}

export interface PetPage {
  readonly pets: readonly Pet[];
  /** Whether more pets follow the last one of this page. */
  readonly more: boolean;
  /**
   * Whether the same query will always return this page: it is full, more pets follow, and none can be added
   * before its end any more. A cacheable page may be kept until the environment is reset.
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
  /** Resolves once the pet and its idempotent request are durable, in one transaction. */
  create(pet: NewPet, now: Instant, request?: IdempotentRequest): Promise<CreateOutcome>;
  /** Adds many pets in one transaction. */
  import(pets: readonly NewPet[]): Promise<void>;
  /** Deletes the idempotent requests of an account that were made after `since` (epoch ms). */
  forgetRequests(accountId: string, since: number): Promise<void>;
  /** Calls the listener when pets of earlier replies may have been deleted, by a reset of any process. */
  onPagesInvalidated(listener: () => void): void;
  /** Calls the listeners of `onPagesInvalidated`. */
  invalidatePages(): void;
  /** Deletes idempotent requests that are older than 24 hours. */
  pruneRequests(now: Instant): Promise<void>;
}
