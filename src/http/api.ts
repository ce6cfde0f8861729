import type { Environment } from '../core/environments.ts';
import type { ApiKeyService } from '../core/keys/api-key-service.ts';
import type { KeyRecord } from '../core/keys/api-keys.ts';
import type { Limiter, QuotaCaller } from '../core/limits/limiter.ts';
import type { Limits } from '../core/limits/plans.ts';
import type { RecordedReply } from '../core/requests/usage.ts';
import type { SimulationStore } from '../core/sandbox/simulations.ts';
import type { Reply } from './reply/reply.ts';
import type { Router } from './target/router.ts';
import type { ServedOperation } from './target/served-operations.ts';

/** One API, served below one base address. */
export interface Api {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly routes: Router<ServedOperation>;
  readonly apiKeyService: ApiKeyService;
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
