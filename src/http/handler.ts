import type { OperationId } from '../contract/operations.ts';
import type { Credential } from '../core/accounts.ts';
import type { Awaitable } from '../core/awaitable.ts';
import type { Instant } from '../core/clock.ts';
import type { Reply } from './reply.ts';

/** A request that was admitted and found its operation. */
export interface Call {
  readonly key: Credential;
  readonly request: Request;
  readonly now: Instant;
  readonly query: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Carries out an operation. May raise `ApiError`. */
export type Handler = (call: Call) => Awaitable<Reply>;

/** The operations that a site serves, and how each is carried out. */
export type Handlers = Partial<Readonly<Record<OperationId, Handler>>>;
