import type { Database } from 'bun:sqlite';
import { accountWrites } from './writes-accounts.ts';
import { activityWrites } from './writes-activity.ts';
import { environmentWrites } from './writes-environment.ts';
import { signUpWrites } from './writes-sign-up.ts';

const WRITES = { ...environmentWrites, ...accountWrites, ...signUpWrites, ...activityWrites };

/** Every change that the writer thread knows, by name. */
export type WriteName = keyof typeof WRITES;
export type WriteInputs = { [Name in WriteName]: Parameters<(typeof WRITES)[Name]>[1] };
export type WriteOutputs = { [Name in WriteName]: ReturnType<(typeof WRITES)[Name]> };

/** A change as it travels to the writer thread. It holds no bytes, which JSON does not know. */
export type Write<Name extends WriteName = WriteName> = {
  [Each in Name]: { readonly name: Each; readonly input: WriteInputs[Each] };
}[Name];

/** What the main thread tells the writer thread. */
export type WriterRequest =
  | { readonly kind: 'commit'; readonly path: string; readonly writes: readonly Write[] }
  /** Folds the write-ahead log into each file and closes them. */
  | { readonly kind: 'close' };

export type WriteResult =
  | { readonly ok: true; readonly value: unknown }
  /** `unavailable`: the storage failed, not the change. The message is for the log. */
  | { readonly ok: false; readonly unavailable: boolean; readonly message: string };

export type WriterReply =
  | { readonly kind: 'committed'; readonly path: string; readonly results: readonly WriteResult[] }
  | { readonly kind: 'closed' };

/**
 * What is posted from one thread to the other: JSON text, which takes a fifth of the time that a copy
 * of the objects takes, or the objects themselves where a bigint is among them.
 */
export type Posted<Message> = string | Message;

export function pack<Message extends WriterRequest | WriterReply>(message: Message) {
  try {
    return JSON.stringify(message);
  } catch {
    return message;
  }
}

export function unpack<Message extends WriterRequest | WriterReply>(
  posted: Posted<Message>,
): Message {
  return typeof posted === 'string' ? JSON.parse(posted) : posted;
}

const TABLE: {
  [Name in WriteName]: (database: Database, input: WriteInputs[Name]) => WriteOutputs[Name];
} = WRITES;

/** Carries out a change by its name. */
export function applyWrite<Name extends WriteName>(
  database: Database,
  { name, input }: Write<Name>,
): WriteOutputs[Name] {
  return TABLE[name](database, input);
}
