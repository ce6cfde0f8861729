import { type ApiKey, KEY_NAME_MAX_LENGTH, keyState } from '../../core/api-keys.ts';
import type { BanRecord } from '../../core/ban-records.ts';
import { ENVIRONMENTS } from '../../core/environments.ts';
import type { IssuedKey, RotationOverlap } from '../../core/key-ring.ts';
import { DAY } from '../../lib/clock.ts';
import { UNPRINTABLE } from '../../lib/unprintable.ts';
import { bodyReader } from '../body.ts';
import { DashboardError } from '../errors.ts';
import type { IssuedKeyInfo, KeyInfo, KeyStateInfo } from '../shared/api.ts';
import { MAX_KEY_DAYS } from '../shared/bounds.ts';
import { done, json, withErrorCode } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

/** A key that expires within this many ms is shown as expiring. */
const EXPIRING_WITHIN = 7 * DAY;
const OVERLAPS = ['0', '1h', '24h', '72h'] as const satisfies readonly RotationOverlap[];

const readNewKey = bodyReader(
  {
    type: 'object',
    required: ['name', 'environment'],
    additionalProperties: false,
    properties: {
      // Not blank, no invisible characters.
      name: {
        type: 'string',
        // White space around it is not part of the name; core/key-ring.ts checks the rest.
        pattern: `^\\s*[^\\s${UNPRINTABLE}][^${UNPRINTABLE}]{0,${KEY_NAME_MAX_LENGTH - 1}}\\s*$`,
      },
      environment: { enum: ENVIRONMENTS },
      expiresInDays: { type: 'integer', minimum: 1, maximum: MAX_KEY_DAYS },
    },
  },
  {
    name: `1 to ${KEY_NAME_MAX_LENGTH} characters on one line, without invisible characters and direction marks`,
    environment: `one of: ${ENVIRONMENTS.join(', ')}`,
    expiresInDays: `a whole number from 1 to ${MAX_KEY_DAYS}, or be left out`,
  },
);

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
  {
    method: 'POST',
    path: '/keys/{id}/rotate',
    access: 'account',
    isSensitive: true,
    handle: rotate,
  },
  { method: 'DELETE', path: '/keys/{id}', access: 'account', handle: revoke },
];

async function list({ options, account }: AccountContext): Promise<Response> {
  const now = options.clock.now().wall;
  const { stores } = options;
  const keys = await stores.keys.list(account.id);
  const bans = await stores.bans.ofAccount(account.id, now);
  const banOf = new Map(
    bans.filter(({ liftedAt }) => liftedAt === undefined).map((ban) => [ban.chainId, ban]),
  );
  const infos = keys.map((key) => keyInfo(key, banOf.get(key.chainId), now));
  return json<{ keys: readonly KeyInfo[] }>(200, { keys: infos.reverse() });
}

async function create({ options, account, request }: AccountContext): Promise<Response> {
  const { name, environment, expiresInDays: days } = await readNewKey(request);
  const expiresAt = days === undefined ? undefined : options.clock.now().wall + days * DAY;
  const issued = await withErrorCode('conflict', () =>
    options.stores.keyRing.issue(account, { name, environment, expiresAt }, account.email),
  );
  return issuedReply(issued);
}

async function rotate(context: AccountContext): Promise<Response> {
  const key = await requireOwnKey(context);
  const { overlap } = await readRotation(context.request);
  const issued = await withErrorCode('conflict', () =>
    context.options.stores.keyRing.rotate(key, overlap, context.account.email),
  );
  return issuedReply(issued);
}

async function revoke(context: AccountContext): Promise<Response> {
  const { id } = await requireOwnKey(context);
  if (await context.options.stores.keyRing.revoke(id, context.account.email)) return done();
  throw new DashboardError('conflict', 'This key was revoked before.');
}

/** @throws ApiError `not_found`, alike for another account's key and for an unknown id. */
async function requireOwnKey({ options, account, id }: AccountContext): Promise<ApiKey> {
  const key = await options.stores.keys.find(id);
  if (key?.accountId === account.id) return key;
  throw new DashboardError('not_found', 'You have no key with this id.');
}

function issuedReply({ key, text }: IssuedKey): Response {
  return json<IssuedKeyInfo>(201, { key: keyInfo(key, undefined, key.createdAt), text });
}

function keyInfo(key: ApiKey, ban: BanRecord | undefined, now: number): KeyInfo {
  const { id, environment, name, prefix, lastFour, createdAt } = key;
  const state = stateOf(key, ban, now);
  return {
    id,
    environment,
    name,
    prefix,
    lastFour,
    createdAt,
    expiresAt: key.expiresAt ?? null,
    revokedAt: key.revokedAt ?? null,
    lastUsedAt: key.lastUsedAt ?? null,
    state,
    ban: ban && state === 'banned' ? { until: ban.endsAt, reason: ban.reason } : null,
  };
}

/** A revoked or expired key is not shown as banned: it would not work after the ban either. */
function stateOf(key: ApiKey, ban: BanRecord | undefined, now: number): KeyStateInfo {
  const state = keyState(key, now);
  if (state !== 'active') return state;
  if (ban) return 'banned';
  const isExpiring = key.expiresAt !== undefined && key.expiresAt - now <= EXPIRING_WITHIN;
  return isExpiring ? 'expiring' : 'active';
}
