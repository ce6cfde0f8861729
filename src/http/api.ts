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

/** One API, served below one base address. */
export interface Api {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly routes: Router<ServedOperation>;
  readonly keyRing: KeyRing;
  /** The environments whose keys are accepted. */
  readonly accepts: readonly Environment[];
  /** Documents that are served without a key, by path below the base address. */
  readonly documents: ReadonlyMap<string, () => Promise<Reply>>;
  /** Limits of a client address, for requests without a valid key. */
  readonly anonymousLimits: Limits;
  /** Whether requests always use real time, regardless of the clock offset of the account's sandbox. */
  readonly isRealTime: boolean;
  /** The caller whose quota a request with this key uses. */
  quotaOf(key: KeyRecord): QuotaCaller;
  /** The limiter of the environment that the caller's key belongs to. */
  limiterOf(caller: QuotaCaller): Limiter;
  /** Counts the requests that meet a simulation; absent where there are no simulations. */
  readonly simulations?: SimulationStore | undefined;
  /** Records the use of a key with the reply; must not wait. */
  recordUsage(key: KeyRecord, reply: RecordedReply): void;
}
