import { type ErrorCode, messageFor } from '../../core/errors.ts';
import { bannedResult, type RateLimitResult } from '../../core/limits/rate-limit.ts';
import type { Simulation } from '../../core/sandbox/simulations.ts';
import { MINUTE, SECOND } from '../../lib/clock.ts';
import { challengeReply, limitReply } from '../reply/error-replies.ts';
import { exampleMessage } from '../reply/example-errors.ts';
import { problemReply, type Reply } from '../reply/reply.ts';
import { DOCUMENT_PATH } from '../target/served-operations.ts';
import { insteadOfReal, type SimulatedReply, type SimulatedRequest } from './steps.ts';

/**
 * Answers with an error of the contract as the real operation would return it; nothing is done. A refusal by
 * the limits uses no quota; a 401 shows the limits of the client's address.
 * @param before the limits before the request.
 */
export async function simulateError(
  code: ErrorCode,
  { parameters }: Simulation,
  before: RateLimitResult,
  context: SimulatedRequest,
): Promise<SimulatedReply> {
  const wait = parameters['retry-after'];
  switch (code) {
    case 'rate_limited':
      return refuse(limitedResult(before, wait), context);
    case 'api_key_banned':
      return refuse(bannedResult(before, wait * SECOND), context);
    case 'missing_api_key':
    case 'invalid_api_key': {
      const reply = challengeReply({ code, message: messageFor(code) });
      const simulated = await insteadOfReal(context, reply);
      if (simulated.isRefused) return simulated;
      return { ...simulated, limits: await context.peekAddress() };
    }
    default:
      // Sent only where the code has it.
      return insteadOfReal(context, { ...errorReply(code, context), retryAfter: wait });
  }
}

/** @param retryAfter seconds. */
export function unavailableReply(retryAfter: number): Reply {
  const message = messageFor('unavailable');
  return { ...problemReply({ code: 'unavailable', message }), retryAfter };
}

function refuse(limits: RateLimitResult, request: SimulatedRequest): SimulatedReply {
  return { limits, reply: limitReply(request, limits) };
}

/** The result of an exhausted window that resets in this many seconds: the minute if it is long enough. */
function limitedResult(before: RateLimitResult, seconds: number): RateLimitResult {
  const resetIn = seconds * SECOND;
  const name = resetIn <= MINUTE ? 'minute' : 'day';
  const exhausted = { ...before[name], remaining: 0, resetIn };
  const { limit } = exhausted;
  return { ...before, outcome: 'limited', limit, remaining: 0, resetIn, [name]: exhausted };
}

/** The error as the requested operation returns it. */
function errorReply(code: ErrorCode, context: SimulatedRequest): Reply {
  const { request, baseUrl, match, served } = context;
  const allow = match?.route.allow ?? 'OPTIONS';
  const message = exampleMessage(code, served ?? { id: 'This operation' }, baseUrl, {
    ...match?.parameters,
    allow,
    method: request.method,
    document: baseUrl + DOCUMENT_PATH,
  });
  return problemReply(
    { code, message },
    code === 'method_not_allowed' ? { Allow: allow } : undefined,
  );
}
