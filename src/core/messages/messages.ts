import type { Awaitable } from '../../lib/awaitable.ts';
import { DAY } from '../../lib/clock.ts';
import type { Environment } from '../environments.ts';

/** The longest message, in Unicode code points. */
export const MESSAGE_MAX_LENGTH = 10_000;

/** How long delivered messages are kept in the inbox, in ms. */
export const MESSAGES_KEPT = 30 * DAY;

/** A message, queued for its account's inbox or delivered to it. Times are epoch ms. */
export interface Message {
  /** `msg_` and a UUIDv7. */
  readonly id: string;
  readonly accountId: string;
  /** The key that it was sent with; not known for messages of earlier releases. */
  readonly keyId?: string | undefined;
  /** The environment of that key. */
  readonly environment: Environment;
  readonly text: string;
  readonly createdAt: number;
  /** `undefined` while it is queued. */
  readonly deliveredAt: number | undefined;
}

export type MessageStatus = 'queued' | 'delivered';

export function messageStatus({ deliveredAt }: Message): MessageStatus {
  return deliveredAt === undefined ? 'queued' : 'delivered';
}

/** The state of an inbox: its latest message, and how many of the latest hundred are queued. */
interface MessageActivity {
  readonly latest: string | undefined;
  readonly queued: number;
}

/** The durable message queue and the inboxes. Every call may raise `StorageUnavailable`. */
export interface MessageStore {
  /**
   * Adds a message; resolves once it is durable. When the account already has a message with the same
   * idempotency key in this environment, nothing is added and that message is returned. Retrying a call
   * never adds a message twice. A message of an account that was deleted in the meantime is dropped.
   */
  enqueue(message: Message, idempotencyKey?: string): Promise<Message | undefined>;
  /**
   * Delivers up to `limit` queued messages, the oldest of each account first, and returns how many.
   * Each message is delivered exactly once, even when several processes call this at the same time:
   * accounts whose messages another process is delivering are skipped.
   */
  deliver(now: number, limit: number): Promise<number>;
  /** The number of messages that have not been delivered yet. */
  queued(): Awaitable<number>;
  /**
   * The latest messages of an account, newest first.
   * @param before the id of a message: only those that were queued before it; none if it is gone.
   */
  list(accountId: string, limit: number, before?: string): Awaitable<Message[]>;
  /** The message of an account with this id. */
  find(accountId: string, id: string): Awaitable<Message | undefined>;
  /** The state of an account's inbox; differs after each new message and each delivery. */
  activity(accountId: string): Awaitable<MessageActivity>;
  /** Deletes messages that were delivered before this time (epoch ms). */
  prune(before: number): Promise<void>;
}
