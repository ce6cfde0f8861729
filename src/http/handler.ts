import type { KeyRecord } from '../core/api-keys.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import type { Instant } from '../lib/clock.ts';
import type { Reply } from './reply.ts';

/** A request that was admitted, as its operation's handler sees it. */
export interface RequestContext {
  readonly key: KeyRecord;
  readonly request: Request;
  readonly now: Instant;
  /** What follows the question mark, without it; still percent-encoded. */
  readonly query: string;
  /** The path parameters; still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Carries out an operation. May raise `ApiError`. */
export type Handler = (context: RequestContext) => Awaitable<Reply>;

/** A handler for each of these operations. */
export type Handlers<Operations> = Readonly<Record<keyof Operations, Handler>>;
