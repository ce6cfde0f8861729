import type { ApiKey } from '../core/accounts.ts';
import type { Environment } from '../core/environments.ts';
import type { KeyRing } from '../core/key-ring.ts';
import type { Limits } from '../core/plans.ts';
import type { Limiter, PetStore } from '../core/ports.ts';
import type { PageCache } from './page-cache.ts';

/** One environment as it is served below its base address. */
export interface Site {
  readonly environment: Environment;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly keyRing: KeyRing;
  readonly limiter: Limiter;
  readonly pets: PetStore;
  readonly pages: PageCache;
  /** The OpenAPI document with this site as its server; JSON text. */
  readonly document: string;
  /** For requests without a valid key, by client address. */
  readonly anonymousLimits: Limits;
  /** Notes that a key was used, at this epoch ms; must not wait. */
  noteUse(key: ApiKey, usedAt: number): void;
}
