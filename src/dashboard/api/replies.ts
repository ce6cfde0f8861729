import { OperatorError } from '../../core/errors.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import { Refused, UNCACHED } from '../refused.ts';
import type { RefusalCode } from '../shared/api.ts';

/** A reply with a JSON body; name its type, so that it is checked against the contract. */
export function json<Body>(status: number, body: NoInfer<Body>): Response {
  return Response.json(body, { status, headers: UNCACHED });
}

/** 204: it is done, and there is nothing to say. */
export function done(): Response {
  return new Response(null, { status: 204, headers: UNCACHED });
}

/**
 * Does the work; what the core will not do becomes a refusal with the core's message.
 * @throws Refused
 */
export async function refusing<T>(code: RefusalCode, work: () => Awaitable<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof OperatorError) throw new Refused(code, cause.message);
    throw cause;
  }
}
