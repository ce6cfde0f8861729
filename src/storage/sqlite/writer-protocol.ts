import type { Database } from 'bun:sqlite';
import type { Environment } from '../../core/environments.ts';
import type { NamedChange } from '../changes.ts';
import { activityWrites } from './writes-activity.ts';
import { environmentWrites } from './writes-environment.ts';

const WRITES = { ...environmentWrites, ...activityWrites };

type HandWritten = {
  [Name in keyof typeof WRITES]: {
    readonly name: Name;
    readonly input: Parameters<(typeof WRITES)[Name]>[1];
  };
};

/**
 * A change as it travels to the writer thread: one that is written by hand for this engine, or one of
 * those that are written once for both. It holds no bytes, which JSON does not know.
 */
export type Write =
  | HandWritten[keyof HandWritten]
  | { readonly name: 'change'; readonly input: NamedChange };

export type WriteOutputs = {
  [Name in keyof typeof WRITES]: ReturnType<(typeof WRITES)[Name]>;
} & { readonly change: unknown };

/** The environment whose database a file is, and the store that it belongs to. */
export interface RecordedIds {
  readonly environment: Environment;
  readonly storeId: string;
}

/** Whether a change may create pets. */
export function createsPets({ name }: Write): boolean {
  return name === 'createPet' || name === 'importPets';
}

/** Asks for one transaction. */
export interface CommitRequest {
  readonly kind: 'commit';
  readonly path: string;
  readonly writes: readonly Write[];
  /** Given if the ids of new pets must be recorded. */
  readonly ids?: RecordedIds | undefined;
}

/** Messages of the main thread to the writer thread. */
export type WriterRequest =
  | CommitRequest
  /** Loads the changes that are written once for both engines. */
  | { readonly kind: 'load' }
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

type Apply = (database: Database, input: Write['input']) => unknown;

/**
 * Makes a change; the hand-written ones at once.
 * @param applyChange makes those that are written once for both engines.
 */
export function applyWrite(
  database: Database,
  write: Write,
  applyChange: (change: NamedChange) => Promise<unknown>,
): unknown {
  if (write.name === 'change') return applyChange(write.input);
  // A name and its input belong together, by the type of `Write`; looking it up loses that.
  return (WRITES[write.name] as Apply)(database, write.input);
}
