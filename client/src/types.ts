import type { PetstoreError } from './errors.ts';

/**
 * A 64-bit signed integer, exact to the last digit: a `number` from -(2^53 - 1) to 2^53 - 1,
 * a `bigint` outside of that range.
 */
export type Int64 = number | bigint;

/** Availability of an animal. */
export type PetStatus = 'available' | 'pending' | 'sold';

/** An animal to add. */
export interface NewPet {
  /** 1 to 255 characters, not blank. */
  readonly name: string;
  /** Id of the category that the animal belongs to. */
  readonly categoryId: Int64;
  /** `available` by default. */
  readonly status?: PetStatus | undefined;
}

/** An animal as the service returns it. */
export interface Pet {
  /** Assigned by the service on creation, ascending. */
  readonly id: Int64;
  readonly name: string;
  /** Id of the category that the animal belongs to. */
  readonly categoryId: Int64;
  readonly status: PetStatus;
}

/** What to change of an animal: at least one of its fields. */
export interface PetPatch {
  /** 1 to 255 characters, not blank. */
  readonly name?: string | undefined;
  /** Id of the category that the animal belongs to. */
  readonly categoryId?: Int64 | undefined;
  /** The status that it has, or one that may follow it. */
  readonly status?: PetStatus | undefined;
}

/** Which items of a list to fetch. */
export interface ListQuery<Status extends string> {
  /** Page size, 1 to 100; 20 by default. */
  readonly limit?: number | undefined;
  /** Only items of this status. */
  readonly status?: Status | undefined;
  /** Only items whose id is greater. */
  readonly after?: Int64 | undefined;
}

/** Which animals to list. */
export type ListPetsQuery = ListQuery<PetStatus>;

/** One page of animals, in ascending id. */
export interface PetPage {
  readonly pets: readonly Pet[];
  /** The query of the next page; `undefined` on the last one. */
  readonly next: ListPetsQuery | undefined;
}

/** Where an order stands; `delivered` and `cancelled` are final. */
export type OrderStatus = 'placed' | 'approved' | 'delivered' | 'cancelled';

/** An order to place. */
export interface NewOrder {
  /** Id of an available animal. */
  readonly petId: Int64;
}

/** An order as the service returns it. */
export interface Order {
  /** Assigned by the service, ascending. */
  readonly id: Int64;
  /** Id of the animal that was ordered. */
  readonly petId: Int64;
  readonly status: OrderStatus;
  /** ISO 8601 timestamp. */
  readonly createdAt: string;
  /** ISO 8601 timestamp of the last change. */
  readonly updatedAt: string;
}

/** What to change of an order. */
export interface OrderPatch {
  /** The status that it has, or one that may follow it. */
  readonly status: OrderStatus;
}

/** Which orders to list. */
export type ListOrdersQuery = ListQuery<OrderStatus>;

/** One page of orders, in ascending id. */
export interface OrderPage {
  readonly orders: readonly Order[];
  /** The query of the next page; `undefined` on the last one. */
  readonly next: ListOrdersQuery | undefined;
}

/** A message that the service has accepted. */
export interface Message {
  readonly id: string;
  readonly message: string;
  /** `queued` right after sending. */
  readonly status: string;
  /** ISO 8601 timestamp. */
  readonly createdAt: string;
}

/** Options of one call. */
export interface RequestOptions {
  /** Ends the call at any point, backoff waits included: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Overrides the client's `timeoutMs` for this call: milliseconds per attempt, from 1. */
  readonly timeoutMs?: number | undefined;
  /** Overrides the client's `maxRetries` for this call; 0 sends it once. */
  readonly maxRetries?: number | undefined;
  /** Sent in addition to the client's own headers; those that the client sets are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called before the wait of each retry, in place of the client's `onRetry`. */
  readonly onRetry?: OnRetry | undefined;
}

/** Called, and awaited, before the wait of a retry. An error or a rejection ends the call. */
export type OnRetry = (retry: Retry) => unknown;

/** A retry that is about to happen. */
export interface Retry {
  readonly method: string;
  readonly url: string;
  /** Why the attempt before it failed. */
  readonly error: PetstoreError;
  /** 1 for the first retry. */
  readonly retry: number;
  readonly maxRetries: number;
  /** Milliseconds until the retry is sent. */
  readonly delayMs: number;
}

/** Options of one `sendMessage` call. */
export interface SendMessageOptions extends RequestOptions {
  /**
   * 1 to 255 printable ASCII characters. Calls that share it queue one message, for 30 days. Give
   * one to make a message safe to repeat across a restart of your program; by default each call
   * makes its own, which covers the client's retries.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Options of one `createPet` call. */
export interface CreatePetOptions extends RequestOptions {
  /**
   * 1 to 255 printable ASCII characters. Calls that share it create one animal, for 24 hours.
   * Give one to make a creation safe to repeat across a restart of your program; by default
   * each call makes its own, which covers the client's retries.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Options of a call that changes or deletes something. */
export interface ChangeOptions extends RequestOptions {
  /**
   * The `ETag` of the reply that the change is based on, with its quotes. The change is made only while that is still
   * the current tag; otherwise the call rejects with `precondition_failed`. Several tags are separated by commas; `*`
   * stands for any.
   */
  readonly ifMatch?: string | undefined;
}

/** Options of one `createOrder` call. */
export interface CreateOrderOptions extends RequestOptions {
  /**
   * 1 to 255 printable ASCII characters. Calls that share it place one order, for 24 hours. Give one to make an order
   * safe to repeat across a restart of your program; by default each call makes its own, which covers the client's
   * retries.
   */
  readonly idempotencyKey?: string | undefined;
}
