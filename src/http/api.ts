import type { AuthenticatedKey } from '../core/api-keys.ts';
import type { Environment } from '../core/environments.ts';
import type { KeyRing } from '../core/key-ring.ts';
import type { Limiter, QuotaCaller } from '../core/limiter.ts';
import type { Limits } from '../core/plans.ts';
import type { Router } from './router.ts';
import type { ServedOperation } from './served-operations.ts';

/** What is served below one base address of the API. */
export interface Api {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly routes: Router<ServedOperation>;
  readonly keyRing: KeyRing;
  /** The environments whose keys it takes. */
  readonly accepts: readonly Environment[];
  /** The OpenAPI document with this site among its servers; JSON text. */
  readonly document: () => string;
  /** Where people read about the API. */
  readonly documentation: string;
  /** For requests without a valid key, by client address. */
  readonly anonymousLimits: Limits;
  /** Where requests of this caller count: in the environment of its key. */
  limiterOf(caller: QuotaCaller): Limiter;
  /** Notes that a key was used, at this epoch ms, and what came of it; must not wait. */
  recordUse(key: AuthenticatedKey, status: number, usedAt: number): void;
}
