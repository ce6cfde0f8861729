import type { Awaitable } from '../../lib/awaitable.ts';
import { type Clock, HOUR } from '../../lib/clock.ts';
import { lazyImport } from '../../lib/lazy.ts';
import type { Account } from '../accounts/accounts.ts';
import type { Actor } from '../accounts/audit.ts';
import type { Environment } from '../environments.ts';
import { type ApiErrorBody, OperatorError } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Stability } from '../stability.ts';
import {
  API_KEY_MAX_LENGTH,
  abbreviateApiKey,
  environmentOfKey,
  environmentOfShape,
  generateApiKey,
} from './api-key-text.ts';
import type { ApiKey, ApiKeyStore, KeyCache, KeyRecord, NewApiKey } from './api-keys.ts';
import { KEY_NAME_RULE, keyState, lifetimeOf, parseKeyName } from './api-keys.ts';
import { KeyDigests } from './key-digests.ts';
import { MISPLACED, NOT_A_KEY, NOT_LIVE, SUSPENDED, UNKNOWN_KEY } from './key-problems.ts';
import { MovedKeys } from './moved-keys.ts';
import { secretsOf } from './secrets.ts';

/** The maximum number of active keys of one account. */
const LIVE_KEYS_PER_ACCOUNT = 100;

/** The number of keys that the holder of an account may create in one UTC day, including rotations. */
export const KEYS_PER_DAY = 100;

/** How long a rotated key stays valid after its successor is created, in ms. */
export const ROTATION_OVERLAPS = {
  '0': 0,
  '1h': HOUR,
  '24h': 24 * HOUR,
  '72h': 72 * HOUR,
} as const;
export type RotationOverlap = keyof typeof ROTATION_OVERLAPS;

/** A new key with its text, which is shown once and never stored. */
export interface IssuedKey {
  readonly text: string;
  readonly key: ApiKey;
}

export interface KeyRequest {
  readonly environment: Environment;
  /** 1 to 100 characters. */
  readonly name: string;
  /** Epoch ms; does not expire when omitted. */
  readonly expiresAt?: number | undefined;
  /** The simulation for its requests, such as `unavailable;times=2`; only for staging. */
  readonly simulate?: string | undefined;
  /** See `ApiKey`. */
  readonly isTemporary?: true | undefined;
  /** The text of the key, only for services with `fixedKeys`; generated when omitted. */
  readonly text?: string | undefined;
}

interface ApiKeyServiceOptions {
  /** Signs the digests of keys; never stored in the database. */
  readonly secret: Buffer;
  /** Other secrets whose keys are accepted. */
  readonly previousSecrets?: readonly Buffer[];
  /** Whether keys may have been chosen by a user, so that their checksums are not verified. */
  readonly fixedKeys?: boolean;
  readonly clock: Clock;
}

/** The holder of the account has created the maximum number of keys for today. */
export class TooManyKeysToday extends OperatorError {
  override readonly name = 'TooManyKeysToday';

  constructor(perDay: number) {
    super(
      `${perDay} keys were made for this account or address today, the most in one day (UTC). Make the next one tomorrow.`,
    );
  }
}

/** Issues and authenticates API keys. */
export class ApiKeyService {
  readonly #store: ApiKeyStore;
  readonly #cache: KeyCache;
  readonly #digests: KeyDigests;
  readonly #moved: MovedKeys;
  readonly #clock: Clock;
  readonly #environmentOf: (text: string) => Environment | undefined;

  constructor(
    store: ApiKeyStore,
    cache: KeyCache,
    { secret, previousSecrets = [], fixedKeys = false, clock }: ApiKeyServiceOptions,
  ) {
    this.#store = store;
    this.#cache = cache;
    this.#moved = new MovedKeys(store);
    this.#digests = new KeyDigests(secretsOf(secret, previousSecrets));
    this.#clock = clock;
    this.#environmentOf = fixedKeys ? environmentOfShape : environmentOfKey;
  }

  /**
   * @param perDay the number of keys that may be created for the account in one UTC day; unlimited when omitted.
   * @throws OperatorError on an invalid name, an expiry in the past, a simulation that is unknown or not for
   * staging, or when the account already has 100 active keys.
   * @throws TooManyKeysToday
   */
  async issue(
    account: Account,
    request: KeyRequest,
    by: Actor,
    perDay?: number,
  ): Promise<IssuedKey> {
    const now = this.#clock.now().wall;
    const name = requireKeyName(request.name);
    if (request.expiresAt !== undefined && request.expiresAt <= now) {
      throw new OperatorError('A key must expire in the future.');
    }
    const simulate = await checkSimulation(request);
    const { environment, text = generateApiKey(environment) } = request;
    const key = newKey(account.id, text, { ...request, name, simulate }, now);
    const digest = Buffer.from(this.#digests.of(text), 'latin1');
    const bounds = { live: LIVE_KEYS_PER_ACCOUNT, perDay };
    const outcome = await this.#store.insert(this.#new(key), digest, bounds, now, by);
    if (outcome !== 'added') throw tooManyKeys(outcome, perDay);
    return { text, key };
  }

  /**
   * Issues a successor with the same name, environment, lifetime, simulation, strikes and bans. The old key stays
   * valid for the overlap, but never beyond its own expiry.
   * @param perDay as for `issue`.
   * @throws OperatorError when the key is not live, or the account has 100 other active keys.
   * @throws TooManyKeysToday
   */
  async rotate(
    key: ApiKey,
    overlap: RotationOverlap,
    by: Actor,
    perDay?: number,
  ): Promise<IssuedKey> {
    const now = this.#clock.now().wall;
    const state = keyState(key, now);
    if (state !== 'active') throw notLive(key, state);
    const lifetime = await lifetimeOf(this.#store, key);
    const text = generateApiKey(key.environment);
    const expiresAt = lifetime === undefined ? undefined : now + lifetime;
    const request = { ...key, expiresAt, predecessorId: key.id };
    const successor = newKey(key.accountId, text, request, now);
    const outcome = await this.#store.replace(
      { id: key.id, expiresAt: now + ROTATION_OVERLAPS[overlap] },
      this.#new(successor),
      Buffer.from(this.#digests.of(text), 'latin1'),
      { live: LIVE_KEYS_PER_ACCOUNT, perDay },
      now,
      by,
    );
    if (outcome === 'not_live') throw notLive(key, 'expired or revoked');
    if (outcome !== 'added') throw tooManyKeys(outcome, perDay);
    return { text, key: successor };
  }

  /**
   * Renames a key. `false` when there is no such key.
   * @throws OperatorError when the name is invalid.
   */
  async rename(id: string, name: string, by: Actor): Promise<boolean> {
    return this.#store.rename(id, requireKeyName(name), this.#clock.now().wall, by);
  }

  /** Revokes a key immediately. `false` when there is no such key, or it is already revoked. */
  revoke(id: string, by: Actor): Promise<boolean> {
    return this.#store.revoke(id, this.#clock.now().wall, by);
  }

  /**
   * Returns the key with this text, or the reason to refuse it: unknown, expired, revoked, from another
   * environment, or from a suspended account.
   * @param accepted the environments whose keys are accepted at the requested address.
   * @param isRealTime whether keys expire on the service's clock, even if the account's clock is ahead.
   */
  authenticate(
    text: string,
    accepted: readonly Environment[],
    isRealTime = false,
  ): Awaitable<KeyRecord | ApiErrorBody> {
    if (text.length > API_KEY_MAX_LENGTH) return NOT_A_KEY;
    const digest = this.#digests.of(text);
    const cached = this.#cache.get(digest);
    if (cached) return this.#check(cached, accepted, isRealTime);
    const named = this.#environmentOf(text);
    if (!named) return NOT_A_KEY;
    if (!accepted.includes(named)) return MISPLACED[named];
    const loaded = this.#cache.load(digest, this.#digests.withPrevious(text));
    if (loaded instanceof Promise) {
      return loaded.then((key) => this.#checkLoaded(key, digest, accepted, isRealTime));
    }
    return this.#checkLoaded(loaded, digest, accepted, isRealTime);
  }

  /**
   * Moves the digests of keys that were used to the current secret, unless the store has had a later one. May raise
   * `StorageUnavailable`; the next call moves the rest then.
   */
  moveKeys(): Promise<void> {
    return this.#moved.save(this.#digests.fingerprint);
  }

  #checkLoaded(
    key: KeyRecord | undefined,
    digest: string,
    accepted: readonly Environment[],
    isRealTime: boolean,
  ): KeyRecord | ApiErrorBody {
    const checked = this.#check(key, accepted, isRealTime);
    if (key === checked) this.#moved.add(key, digest);
    return checked;
  }

  #check(
    key: KeyRecord | undefined,
    accepted: readonly Environment[],
    isRealTime: boolean,
  ): KeyRecord | ApiErrorBody {
    if (!key) return UNKNOWN_KEY;
    if (!accepted.includes(key.environment)) return MISPLACED[key.environment];
    if (key.isSuspended) return SUSPENDED;
    const checked = isRealTime ? { ...key, clockMoved: 0 } : key;
    const state = keyState(checked, this.#clock.now().wall);
    return state === 'active' ? key : NOT_LIVE[state];
  }

  #new(key: ApiKey): NewApiKey {
    return { ...key, secretId: this.#digests.secretId };
  }
}

/** @throws OperatorError when the name is invalid. */
function requireKeyName(text: string): string {
  const name = parseKeyName(text);
  if (name === undefined) throw new OperatorError(`A key's name has ${KEY_NAME_RULE}.`);
  return name;
}

/** @param request `chainId` is that of the rotated key. */
function newKey(
  accountId: string,
  text: string,
  request: KeyRequest & Partial<Pick<ApiKey, 'chainId' | 'predecessorId'>>,
  now: number,
): ApiKey {
  const { environment, name, expiresAt, simulate, isTemporary } = request;
  const id = newId('key', now);
  return {
    id,
    accountId,
    chainId: request.chainId ?? id,
    environment,
    name,
    ...abbreviateApiKey(text),
    createdAt: now,
    expiresAt,
    revokedAt: undefined,
    lastUsedAt: undefined,
    simulate,
    isTemporary,
    predecessorId: request.predecessorId,
  };
}

/** Normalizes the simulation of a new key, in a service of this level. @throws OperatorError when it has no such one. */
export async function checkSimulation(
  { environment, simulate }: Pick<KeyRequest, 'environment' | 'simulate'>,
  least?: Stability,
): Promise<string | undefined> {
  if (simulate === undefined) return undefined;
  if (environment !== 'staging') {
    throw new OperatorError('Only staging keys can have a simulation.');
  }
  const { normalizeSimulation } = await loadSimulations();
  return normalizeSimulation(simulate, true, least);
}

const loadSimulations = lazyImport(() => import('../sandbox/simulations.ts'));

function notLive(key: ApiKey, state: string): OperatorError {
  return new OperatorError(`Key ${key.id} is ${state}. Create a new one.`);
}

function tooManyKeys(bound: 'too_many' | 'too_many_today', perDay = 0): OperatorError {
  if (bound === 'too_many_today') return new TooManyKeysToday(perDay);
  return new OperatorError(
    `The account has ${LIVE_KEYS_PER_ACCOUNT} active keys, the most it may have. Revoke one first.`,
  );
}
