import { OperatorError } from '../../core/errors.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import { DashboardError, UNCACHED } from '../errors.ts';

/**
 * A reply with a JSON body; give its type explicitly, so that the compiler checks it against the
 * contract.
 */
export function json<Body>(status: number, body: NoInfer<Body>): Response {
  return Response.json(body, { status, headers: UNCACHED });
}

/** 204 without a body. */
export function done(): Response {
  return new Response(null, { status: 204, headers: UNCACHED });
}

/**
 * Runs `work`; an OperatorError of the core becomes an error reply with its message.
 * @throws ApiError with this code
 */
export async function withErrorCode<T>(
  code: 'conflict' | 'invalid',
  work: () => Awaitable<T>,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof OperatorError) throw new DashboardError(code, cause.message);
    throw cause;
  }
}
