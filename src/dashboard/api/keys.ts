import type { Account } from '../../core/accounts/accounts.ts';
import { ENVIRONMENTS } from '../../core/environments.ts';
import {
  checkSimulation,
  type IssuedKey,
  KEYS_PER_DAY,
  type RotationOverlap,
  TooManyKeysToday,
} from '../../core/keys/api-key-service.ts';
import {
  type ApiKey,
  KEY_NAME_RULE,
  type KeyFilter,
  type KeyPosition,
  parseKeyName,
} from '../../core/keys/api-keys.ts';
import type { Limits } from '../../core/limits/plans.ts';
import { wholeSeconds } from '../../http/reply/reply.ts';
import { DAY, HOUR, type Instant } from '../../lib/clock.ts';
import { bodyReader } from '../body.ts';
import { DashboardError } from '../errors.ts';
import type { DashboardOptions, DashboardStores } from '../options.ts';
import type { IssuedKeyInfo, KeyInfo, KeyPage } from '../shared/api.ts';
import { MAX_KEY_DAYS } from '../shared/bounds.ts';
import { bansInForce } from './bans.ts';
import { keyInfo, linksOf } from './key-info.ts';
import { choiceIn, environmentIn, textIn } from './query.ts';
import { done, json, withErrorCode } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

const KEYS_ON_PAGE = 50;
const MAX_SIMULATE_LENGTH = 200;
/** Lifetime of a key for trying the API, in ms. */
const TEMPORARY_KEY_LIFETIME = HOUR;
const KEYS_OF_DAY: Limits = { perMinute: KEYS_PER_DAY, perDay: KEYS_PER_DAY };
const OVERLAPS = ['0', '1h', '24h', '72h'] as const satisfies readonly RotationOverlap[];

const readNewKey = bodyReader(
  {
    type: 'object',
    required: ['name', 'environment'],
    additionalProperties: false,
    properties: {
      name: { type: 'string' },
      environment: { enum: ENVIRONMENTS },
      expiresInDays: { type: 'integer', minimum: 1, maximum: MAX_KEY_DAYS },
      // core/simulations.ts checks the rest.
      simulate: { type: 'string', minLength: 1, maxLength: MAX_SIMULATE_LENGTH },
    },
  },
  {
    name: KEY_NAME_RULE,
    environment: `one of: ${ENVIRONMENTS.join(', ')}`,
    expiresInDays: `a whole number from 1 to ${MAX_KEY_DAYS}, or be left out`,
    simulate: `a simulation of at most ${MAX_SIMULATE_LENGTH} characters, or be left out`,
  },
  { name: isKeyName },
);

const readNaming = bodyReader(
  {
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: { name: { type: 'string' } },
  },
  { name: KEY_NAME_RULE },
  { name: isKeyName },
);

function isKeyName(text: string): boolean {
  return parseKeyName(text) !== undefined;
}

const readRotation = bodyReader(
  {
    type: 'object',
    required: ['overlap'],
    additionalProperties: false,
    properties: { overlap: { enum: OVERLAPS } },
  },
  { overlap: `one of: ${OVERLAPS.join(', ')}` },
);

export const keyRoutes: readonly Route[] = [
  { method: 'GET', path: '/keys', access: 'account', handle: list },
  { method: 'POST', path: '/keys', access: 'account', isSensitive: true, handle: create },
  { method: 'POST', path: '/temporary-keys', access: 'account', handle: createTemporary },
  {
    method: 'POST',
    path: '/keys/{id}/rotate',
    access: 'account',
    isSensitive: true,
    handle: rotate,
  },
  { method: 'PUT', path: '/keys/{id}', access: 'account', handle: rename },
  {
    method: 'DELETE',
    path: '/keys/{id}',
    access: 'account',
    isProtecting: true,
    handle: revoke,
  },
];

async function list({ options, account, query }: AccountContext): Promise<Response> {
  const now = options.clock.now().wall;
  const { stores } = options;
  const from = positionFrom(query.get('from'));
  // One key more than is shown: it tells whether there is a next page.
  const found = await stores.keys.page(account.id, KEYS_ON_PAGE + 1, from, filterFrom(query, now));
  const keys = found.slice(0, KEYS_ON_PAGE);
  const last = found.length > keys.length ? keys.at(-1) : undefined;
  return json<KeyPage>(200, {
    keys: await keyInfos(stores, account.id, keys, now),
    next: last ? `${last.createdAt}.${last.id}` : null,
  });
}

/** Keys of one account, as the dashboard shows them. @param now epoch ms. */
export async function keyInfos(
  stores: DashboardStores,
  accountId: string,
  keys: readonly ApiKey[],
  now: number,
): Promise<KeyInfo[]> {
  const banOf = await bansInForce(stores, accountId, now);
  const links = await linksOf(stores.keys, accountId, keys);
  return keys.map((key) => keyInfo(key, banOf.get(key.chainId), links, now));
}

/** @throws ApiError `invalid` */
function filterFrom(query: URLSearchParams, now: number): KeyFilter {
  const live = choiceIn(query, 'live', ['true', 'false']);
  return {
    text: textIn(query, 'text'),
    environment: environmentIn(query),
    live: live && { is: live === 'true', now },
  };
}

/** @throws ApiError `invalid` when it is not the `next` of a page. */
function positionFrom(next: string | null): KeyPosition | undefined {
  if (next === null) return undefined;
  const [, createdAt, id] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(next) ?? [];
  if (createdAt && id) return { createdAt: Number(createdAt), id };
  throw new DashboardError('invalid', '"from" must be the "next" of another page.');
}

async function create({ options, account, request }: AccountContext): Promise<Response> {
  const { name, environment, expiresInDays: days, simulate } = await readNewKey(request);
  await withErrorCode('invalid', () =>
    checkSimulation({ environment, simulate }, options.contract.stability),
  );
  const expiresAt = days === undefined ? undefined : options.clock.now().wall + days * DAY;
  const wish = { name, environment, expiresAt, simulate };
  const { apiKeyService } = options.stores;
  return issue(options, account, (perDay) =>
    apiKeyService.issue(account, wish, account.email, perDay),
  );
}

async function createTemporary({ options, account }: AccountContext): Promise<Response> {
  const { clock, stores } = options;
  const expiresAt = clock.now().wall + TEMPORARY_KEY_LIFETIME;
  const wish = { name: 'Try it', environment: 'staging', expiresAt, isTemporary: true } as const;
  return issue(options, account, (perDay) =>
    stores.apiKeyService.issue(account, wish, account.email, perDay),
  );
}

async function rotate(context: AccountContext): Promise<Response> {
  const key = await requireOwnKey(context);
  const { overlap } = await readRotation(context.request);
  const { account, options } = context;
  const { apiKeyService } = options.stores;
  return issue(options, account, (perDay) =>
    apiKeyService.rotate(key, overlap, account.email, perDay),
  );
}

/**
 * Replies with a new key. @throws ApiError `conflict`, or `rate_limited` after too many keys in one
 * day.
 */
async function issue(
  options: DashboardOptions,
  { email }: Account,
  work: (perDay: number) => Promise<IssuedKey>,
): Promise<Response> {
  const { attempts, clock, stores } = options;
  // The store counts the keys of this account. This counter also includes the keys of a deleted
  // account with the same address.
  const ofAddress = [{ caller: `keys:${email}`, limits: KEYS_OF_DAY }];
  const { key, text } = await withErrorCode('conflict', async () => {
    const { outcome } = await attempts.take(ofAddress, clock.now());
    try {
      return await work(outcome === 'admitted' ? KEYS_PER_DAY : 0);
    } catch (error) {
      if (outcome === 'admitted') await attempts.giveBack(ofAddress);
      throw error instanceof TooManyKeysToday ? tooManyKeys(clock.now()) : error;
    }
  });
  // The successor of a banned key is banned from the start.
  const banOf = await bansInForce(stores, key.accountId, key.createdAt);
  const links = await linksOf(stores.keys, key.accountId, [key]);
  const info = keyInfo(key, banOf.get(key.chainId), links, key.createdAt);
  return json<IssuedKeyInfo>(201, { key: info, text });
}

/** The limit headers of this refusal describe the daily limit of keys, not of requests. */
function tooManyKeys({ wall }: Instant) {
  const { message } = new TooManyKeysToday(KEYS_PER_DAY);
  const resetAt = (Math.floor(wall / DAY) + 1) * DAY;
  const wait = String(wholeSeconds(resetAt - wall));
  const headers = {
    'X-RateLimit-Limit': String(KEYS_PER_DAY),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(wholeSeconds(resetAt)),
    'RateLimit-Policy': `"keys";q=${KEYS_PER_DAY};w=86400`,
    RateLimit: `"keys";r=0;t=${wait}`,
    'Retry-After': wait,
  };
  return new DashboardError('rate_limited', message, { headers });
}

/** @throws ApiError `invalid` if `name` is not valid. */
async function rename(context: AccountContext): Promise<Response> {
  const { id } = await requireOwnKey(context);
  const { name } = await readNaming(context.request);
  await context.options.stores.apiKeyService.rename(id, name, context.account.email);
  return done();
}

async function revoke(context: AccountContext): Promise<Response> {
  const { id } = await requireOwnKey(context);
  if (await context.options.stores.apiKeyService.revoke(id, context.account.email)) return done();
  throw new DashboardError('conflict', 'This key was revoked before.');
}

/** @throws ApiError `not_found`, both for another account's key and for an unknown id. */
async function requireOwnKey({ options, account, id }: AccountContext): Promise<ApiKey> {
  const key = await options.stores.keys.find(id);
  if (key?.accountId === account.id) return key;
  throw new DashboardError('not_found', 'You have no key with this id.');
}
