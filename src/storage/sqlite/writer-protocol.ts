import type { NamedChange } from '../access.ts';
import type { DatabaseName } from '../data-folder.ts';
import type { WRITES } from './writes.ts';

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

/** Which database of which store a file is. */
export interface Recorded {
  readonly name: DatabaseName;
  readonly storeId: string;
}

const PET_WRITES: ReadonlySet<Write['name']> = new Set([
  ...(['createPet', 'importPets', 'resetEnvironment', 'probe'] as const),
]);

/** Whether what a change acknowledges must be recorded. */
export function isRecorded({ name }: Write, recorded: Recorded): boolean {
  return recorded.name === 'accounts' ? name !== 'open' : PET_WRITES.has(name);
}

/** Asks for one transaction. */
export interface CommitRequest {
  readonly kind: 'commit';
  readonly path: string;
  readonly writes: readonly Write[];
  /** Given if what is acknowledged must be recorded. */
  readonly recorded?: Recorded | undefined;
}

/** Messages of the main thread to the writer thread. */
export type WriterRequest =
  | CommitRequest
  /** Loads the changes that are written once for both engines. */
  | { readonly kind: 'load' }
  /** Closes the files; the last process to do so folds the write-ahead log into each. */
  | { readonly kind: 'close' };

export type WriteResult =
  | { readonly ok: true; readonly value: unknown }
  /**
   * `unavailable`: the storage failed, not the change; `damage`: because the file is damaged. The message
   * is for the log.
   */
  | {
      readonly ok: false;
      readonly unavailable: boolean;
      readonly message: string;
      readonly damage?: string | undefined;
    };

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
