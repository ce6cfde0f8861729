import type { AuthenticatedKey } from '../core/api-keys.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import type { Instant } from '../lib/clock.ts';
import type { Reply } from './reply.ts';

/** A request that was admitted and found its operation. */
export interface RequestContext {
  readonly key: AuthenticatedKey;
  readonly request: Request;
  readonly now: Instant;
  readonly query: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Carries out an operation. May raise `ApiError`. */
export type Handler = (context: RequestContext) => Awaitable<Reply>;

/** A handler for each of these operations. */
export type Handlers<Operations> = Readonly<Record<keyof Operations, Handler>>;
