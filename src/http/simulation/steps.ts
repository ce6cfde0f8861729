import type { KeyRecord } from '../../core/keys/api-keys.ts';
import type { RateLimitResult } from '../../core/limits/rate-limit.ts';
import type { Simulation, SimulationStore } from '../../core/sandbox/simulations.ts';
import type { Stability } from '../../core/stability.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import type { Connections } from '../connection/listener.ts';
import type { Reply } from '../reply/reply.ts';
import type { OperationMatch, ServedOperation } from '../target/served-operations.ts';

/** A request in staging that may meet a simulation, and the steps of a real request. */
export interface SimulatedRequest {
  readonly request: Request;
  readonly key: KeyRecord;
  /** Base address of the API, without a trailing slash. */
  readonly baseUrl: string;
  readonly match: OperationMatch | undefined;
  /** The requested operation, if there is one. */
  readonly served: ServedOperation | undefined;
  readonly simulations: SimulationStore;
  /** The least stable level that is served. */
  readonly stability: Stability;
  /** Takes the request from the account's quota. */
  take(): Awaitable<RateLimitResult>;
  /** The limits of the account as they are now. */
  peek(): Awaitable<RateLimitResult>;
  /** The limits of the client's address as they are now. */
  peekAddress(): Awaitable<RateLimitResult>;
  /** The real reply to a request with these limits. */
  makeReply(limits: RateLimitResult): Awaitable<Reply>;
  /** The reply to an error; failures of the service are logged. */
  errorReply(error: unknown): Reply;
  readonly connections: Connections;
}

/** What is sent instead of the real reply. */
export interface SimulatedReply {
  readonly reply: Reply;
  /** The limits that the reply shows. */
  readonly limits: RateLimitResult;
  /** Whether the real limits refused the request, so that nothing was simulated. */
  readonly isRefused?: boolean;
  /** Changes how the reply reaches the client. */
  readonly deliver?: (response: Response) => Awaitable<Response>;
}

/** A simulation in force. */
export interface MetSimulation {
  readonly simulation: Simulation;
  /** The number of this request among those that met the simulation, from 1; 0 where they are not counted. */
  readonly number: number;
}

/** The reply that the request would have had without any simulation. */
export async function realReply({ take, makeReply }: SimulatedRequest): Promise<SimulatedReply> {
  const limits = await take();
  return { limits, reply: await makeReply(limits), isRefused: limits.outcome !== 'admitted' };
}

/** Answers with this reply and does nothing else, unless the real limits refuse the request. */
export async function insteadOfReal(
  context: SimulatedRequest,
  reply: Reply,
  deliver?: SimulatedReply['deliver'],
): Promise<SimulatedReply> {
  const limits = await context.take();
  if (limits.outcome !== 'admitted') {
    return { limits, reply: await context.makeReply(limits), isRefused: true };
  }
  return { limits, reply, ...(deliver && { deliver }) };
}
