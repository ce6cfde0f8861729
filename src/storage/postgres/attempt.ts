import { StorageUnavailable } from '../../core/errors.ts';
import type { Claim, StatementKind } from './connection-pool.ts';

/** An attempt to run a statement or a transaction. */
export class Attempt implements Claim {
  readonly kind: StatementKind;
  isGivenUp = false;
  /** Whether it has a connection. */
  isSent = false;
  /** Whether the server may have committed it, if no reply says otherwise. */
  mayBeCommitted = false;
  /** Rejects when the attempt is given up. */
  readonly failure: Promise<never>;
  readonly #reject: (error: StorageUnavailable) => void;

  constructor(kind: StatementKind) {
    this.kind = kind;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.failure = promise;
    this.#reject = reject;
  }

  giveUp(cause: Error): void {
    this.isGivenUp = true;
    this.#reject(new StorageUnavailable(cause));
  }
}
