import type { KeyRecord } from '../core/keys/api-keys.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import type { Instant } from '../lib/clock.ts';
import type { ParameterValues } from './operation.ts';
import type { Reply } from './reply/reply.ts';

/**
 * An admitted request, as passed to the handler of its operation.
 * @typeParam Operation the row of the operation.
 */
export interface RequestContext<Operation = unknown> {
  readonly key: KeyRecord;
  readonly request: Request;
  readonly now: Instant;
  /** The part of the target after the question mark; still percent-encoded. */
  readonly query: string;
  /**
   * The values of the parameters that the row declares, by name. They are read at the first use, so that a reply
   * can be found by `query` without it. Then this throws `ApiError` if one of them is not allowed.
   */
  readonly parameters: ParameterValues<Operation>;
}

/**
 * Handles the requests of an operation. May throw `ApiError`. The type of a method, so that the router can hold
 * the handlers of all operations: it calls each one with the values of its own row.
 */
export type Handler<Operation = unknown> = {
  handle(context: RequestContext<Operation>): Awaitable<Reply>;
}['handle'];

/** A handler for each of these operations. */
export type Handlers<Operations> = { readonly [Id in keyof Operations]: Handler<Operations[Id]> };
