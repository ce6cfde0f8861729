import type { KeyRecord } from '../core/api-keys.ts';
import type { Environment } from '../core/environments.ts';
import type { KeyRing } from '../core/key-ring.ts';
import type { Limiter, QuotaCaller } from '../core/limiter.ts';
import type { Limits } from '../core/plans.ts';
import type { SimulationStore } from '../core/simulations.ts';
import type { RecordedReply } from '../core/usage.ts';
import type { Reply } from './reply.ts';
import type { Router } from './router.ts';
import type { ServedOperation } from './served-operations.ts';

/** What is served below one base address of the API. */
export interface Api {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly routes: Router<ServedOperation>;
  readonly keyRing: KeyRing;
  /** The environments whose keys it accepts. */
  readonly accepts: readonly Environment[];
  /** Documents that are served without a key, by path below the base address. */
  readonly documents: ReadonlyMap<string, () => Promise<Reply>>;
  /** Limits of a client address, for requests without a valid key. */
  readonly anonymousLimits: Limits;
  /** Whether real time applies, whatever the account of the key has set in the sandbox. */
  readonly isSandbox: boolean;
  /** Whose quota a request with this key is taken from. */
  quotaOf(key: KeyRecord): QuotaCaller;
  /** The limiter of the environment that the caller's key belongs to. */
  limiterOf(caller: QuotaCaller): Limiter;
  /** Counts the requests that meet a simulation; none where there are no simulations. */
  readonly simulations?: SimulationStore | undefined;
  /** Records that a key was used, and for what; must not wait. */
  recordUsage(key: KeyRecord, reply: RecordedReply): void;
}
