import type { Awaitable } from '../lib/awaitable.ts';
import type { Instant } from '../lib/clock.ts';
import type { Int64 } from '../lib/int64.ts';
import type { IdempotentRequest } from './idempotency.ts';

/** Availability of an animal; the contract's enum, in its order. */
export const PET_STATUSES = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

/** What `status` becomes when a new animal does not say. */
export const DEFAULT_STATUS: PetStatus = 'available';

/** The longest name, in Unicode code points. */
export const NAME_MAX_LENGTH = 255;

/** Animals on one page of the list: bounds and default of `limit`. */
export const PAGE_SIZE = { minimum: 1, maximum: 100, default: 20 } as const;

export interface NewPet {
  /** 1 to 255 code points, kept as sent. */
  readonly name: string;
  readonly categoryId: Int64;
  readonly status: PetStatus;
}

export interface Pet extends NewPet {
  /** Assigned by the service, ascending, at most 2^53 - 1. An animal never changes once it has one. */
  readonly id: number;
}

/** One page of the list: keyset pagination in ascending id. */
export interface PetQuery {
  /** 1 to 100. */
  readonly limit: number;
  readonly status?: PetStatus | undefined;
  /** Only animals with a greater id; 0 begins at the start. */
  readonly after: number;
}

export interface PetPage {
  readonly pets: readonly Pet[];
  /** Whether more animals follow the last one of this page. */
  readonly more: boolean;
  /**
   * Whether the same query gives this very page for ever. A full page does once no animal can come
   * to lie before its end any more.
   */
  readonly settled: boolean;
}

export type CreateOutcome =
  | { readonly kind: 'created' | 'replayed'; readonly pet: Pet }
  /** The same key came with another body before. */
  | { readonly kind: 'mismatch' }
  /** A request with the same key is still being carried out. */
  | { readonly kind: 'conflict' };

/** The animals of one environment. Every call may raise `StorageUnavailable`. */
export interface PetStore {
  list(query: PetQuery): Awaitable<PetPage>;
  get(id: number): Awaitable<Pet | undefined>;
  /** Resolves once the animal, and what makes it replayable, are durable in one transaction. */
  create(pet: NewPet, now: Instant, request?: IdempotentRequest): Promise<CreateOutcome>;
  /** Adds many animals in one transaction. */
  import(pets: readonly NewPet[]): Promise<void>;
  /** Drops the idempotent requests whose 24 hours are over. */
  forgetRequests(now: Instant): Promise<void>;
}
