import type { RateLimitResult } from '../core/limits/rate-limit.ts';
import type { RequestRecorder } from '../core/requests/request-log.ts';
import type { Stability } from '../core/stability.ts';
import type { Clock } from '../lib/clock.ts';
import type { AddressRange } from '../lib/ip-address.ts';
import type { Api } from './api.ts';
import type { Connections } from './connection/listener.ts';
import type { Pages } from './target/targets.ts';

/** The log of the pipeline. */
export interface ServiceLog {
  /** One line per request, at level debug. `took` is in ms. */
  request?(request: Request, requestId: string, status: number, took: number): void;
  /** A failure whose cause clients do not see. */
  failure(error: unknown, requestId: string): void;
}

/** The metrics of the pipeline; must not wait. */
export interface ServiceMetrics {
  /**
   * Records a response.
   * @param operation its id in the contract, or `none` if the request names no operation.
   * @param took ms
   */
  recordResponse(operation: string, status: number, took: number): void;
  /** Records the rate limiter's decision on a request. */
  recordDecision(outcome: RateLimitResult['outcome']): void;
}

export interface ServiceOptions {
  /** The first one answers requests outside of every base address. */
  readonly apis: readonly Api[];
  readonly pages?: Pages | undefined;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly AddressRange[];
  /** The least stable level of the operations that are served. */
  readonly stability: Stability;
  readonly clock: Clock;
  readonly log: ServiceLog;
  readonly metrics: ServiceMetrics;
  readonly connections: Connections;
  /** Records requests of accounts in the request log, unless it is off. */
  readonly recorder?: RequestRecorder | undefined;
}
