import type { Awaitable } from '../lib/awaitable.ts';
import type { Environment } from './environments.ts';

/** The longest message, in Unicode code points. */
export const MESSAGE_MAX_LENGTH = 10_000;

/** A message on its way to its account's inbox, or in it. Times are epoch ms. */
export interface Message {
  /** `msg_` and a UUIDv7. */
  readonly id: string;
  readonly accountId: string;
  /** Of the key that it was sent with. */
  readonly environment: Environment;
  readonly text: string;
  readonly createdAt: number;
  /** None while it is queued. */
  readonly deliveredAt: number | undefined;
}

export type MessageStatus = 'queued' | 'delivered';

export function messageStatus({ deliveredAt }: Message): MessageStatus {
  return deliveredAt === undefined ? 'queued' : 'delivered';
}

/** The durable queue of messages, and the inboxes. Every call may raise `StorageUnavailable`. */
export interface MessageStore {
  /**
   * Resolves once the message is durable. Where the same account and environment have one under the same
   * idempotency key already, that one stays, and is given. Asked for again the message is there once; a
   * message of an account that is gone meanwhile is dropped.
   */
  enqueue(message: Message, idempotencyKey?: string): Promise<Message | undefined>;
  /**
   * Moves up to `limit` queued messages to their inboxes, the oldest of each account first; gives how
   * many. A message is in its inbox once, however often and wherever this is called; accounts whose
   * messages somebody else is delivering just now are passed over.
   */
  deliver(now: number, limit: number): Promise<number>;
  /** Messages that are not delivered yet. */
  queued(): Awaitable<number>;
  /** Messages of an account, the newest first. */
  list(accountId: string, limit: number): Awaitable<Message[]>;
  /** Drops what was delivered before this moment (epoch ms). */
  forget(before: number): Promise<void>;
}
