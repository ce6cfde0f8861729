import { StorageUnavailable } from '../../core/errors.ts';
import type { NamedChange } from '../access.ts';
import type { DatabaseName } from '../data-folder.ts';
import type { LogState } from './checkpoint.ts';
import type { WRITES } from './writes.ts';

type EngineWrites = {
  [Name in keyof typeof WRITES]: {
    readonly name: Name;
    readonly input: Parameters<(typeof WRITES)[Name]>[1];
  };
};

/**
 * A change in the form that is sent to the writer thread: one written for this engine, or one that both engines share.
 * It contains no binary data, which JSON does not support.
 */
export type Write =
  | EngineWrites[keyof EngineWrites]
  | { readonly name: 'change'; readonly input: NamedChange };

export type WriteOutputs = {
  [Name in keyof typeof WRITES]: Awaited<ReturnType<(typeof WRITES)[Name]>>;
} & { readonly change: unknown };

/** The database and the store that a file belongs to. */
export interface Recorded {
  readonly name: DatabaseName;
  readonly storeId: string;
}

/** The changes of an environment that assign ids or delete rows with ids. */
const ID_WRITES: ReadonlySet<Write['name']> = new Set<Write['name']>([
  'addPet',
  'createPet',
  'importPets',
  'deletePet',
  'createOrder',
  'importOrders',
  'deleteOrders',
  'deleteOwnedPets',
  'resetEnvironment',
  'probe',
]);

/** Whether the number of a change must be recorded before it is acknowledged. */
export function isRecorded({ name }: Write, recorded: Recorded): boolean {
  return recorded.name === 'accounts' ? name !== 'open' : ID_WRITES.has(name);
}

/** Requests one transaction. */
export interface CommitRequest {
  readonly kind: 'commit';
  readonly path: string;
  readonly writes: readonly Write[];
  /** Given if acknowledged numbers must be recorded. */
  readonly recorded?: Recorded | undefined;
}

/** Messages from the main thread to the writer thread. */
export type WriterRequest =
  | CommitRequest
  /** Requests the state of a write-ahead log, after a checkpoint if one is due. */
  | { readonly kind: 'checkpoint'; readonly path: string }
  /** Loads the changes that both engines share. */
  | { readonly kind: 'load' }
  /** Closes the files; the last process to do so checkpoints their write-ahead logs. */
  | { readonly kind: 'close' };

export type WriteResult =
  | { readonly ok: true; readonly value: unknown }
  /**
   * `unavailable`: the storage failed, not the change; `damage`: the damage to the file that caused it. The
   * message is for the log.
   */
  | {
      readonly ok: false;
      readonly unavailable: boolean;
      readonly message: string;
      readonly damage?: string | undefined;
    };

/** The result of a change for which the thread sent none. */
export const NO_RESULT: WriteResult = { ok: false, unavailable: true, message: 'no result' };

/** The error that the caller of a failed change gets. */
export function errorOf({ unavailable, message }: WriteResult & { ok: false }): Error {
  const cause = new Error(message);
  return unavailable ? new StorageUnavailable(cause) : cause;
}

export type WriterReply =
  | { readonly kind: 'committed'; readonly path: string; readonly results: readonly WriteResult[] }
  | { readonly kind: 'loaded' }
  | { readonly kind: 'checkpointed'; readonly path: string; readonly log: LogState }
  | { readonly kind: 'closed' };

/**
 * The form in which threads exchange messages: JSON text, which takes a fifth of the time of copying the objects, or
 * the objects themselves if they contain a bigint.
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
