import type { KeyRecord } from '../core/keys/api-keys.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import type { Instant } from '../lib/clock.ts';
import type { Reply } from './reply/reply.ts';

/** An admitted request, as passed to the handler of its operation. */
export interface RequestContext {
  readonly key: KeyRecord;
  readonly request: Request;
  readonly now: Instant;
  /** The part of the target after the question mark; still percent-encoded. */
  readonly query: string;
  /** The path parameters; still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Handles the requests of an operation. May throw `ApiError`. */
export type Handler = (context: RequestContext) => Awaitable<Reply>;

/** A handler for each of these operations. */
export type Handlers<Operations> = Readonly<Record<keyof Operations, Handler>>;
