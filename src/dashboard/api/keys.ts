import { type ApiKey, KEY_NAME_MAX_LENGTH, keyState } from '../../core/api-keys.ts';
import type { BanRecord } from '../../core/ban-records.ts';
import { ENVIRONMENTS } from '../../core/environments.ts';
import { type IssuedKey, ROTATION_OVERLAPS, type RotationOverlap } from '../../core/key-ring.ts';
import { DAY } from '../../lib/clock.ts';
import { Refused } from '../refused.ts';
import type { IssuedKeyInfo, KeyInfo, KeyStateInfo } from '../shared/api.ts';
import { MAX_KEY_DAYS } from '../shared/bounds.ts';
import { readFields } from './body.ts';
import { done, json, refusing } from './replies.ts';
import type { Call, Route } from './route.ts';

/** A key that ends within this many ms is told to be expiring. */
const EXPIRING_WITHIN = 7 * DAY;
const OVERLAPS = Object.keys(ROTATION_OVERLAPS).filter(isOverlap);

export const keyRoutes: readonly Route[] = [
  { method: 'GET', path: '/keys', access: 'account', answer: list },
  { method: 'POST', path: '/keys', access: 'recent', answer: create },
  { method: 'POST', path: '/keys/{id}/rotate', access: 'recent', answer: rotate },
  { method: 'DELETE', path: '/keys/{id}', access: 'account', answer: revoke },
];

async function list({ options, account }: Call): Promise<Response> {
  const now = options.clock.now().wall;
  const { stores } = options;
  const keys = await stores.keys.list(account.id);
  const bans = await stores.bans.ofAccount(account.id, now);
  const banOf = new Map(
    bans.filter(({ liftedAt }) => liftedAt === undefined).map((ban) => [ban.keyId, ban]),
  );
  const infos = keys.map((key) => keyInfo(key, banOf.get(key.id), now));
  return json<{ keys: readonly KeyInfo[] }>(200, { keys: infos.reverse() });
}

async function create({ options, account, request }: Call): Promise<Response> {
  const fields = await readFields(request, ['name', 'environment', 'expiresInDays']);
  const name = fields.line('name', KEY_NAME_MAX_LENGTH);
  const environment = fields.oneOf('environment', ENVIRONMENTS);
  const days = fields.optionalCount('expiresInDays', MAX_KEY_DAYS);
  const expiresAt = days === undefined ? undefined : options.clock.now().wall + days * DAY;
  const issued = await refusing('conflict', () =>
    options.stores.keyRing.issue(account, { name, environment, expiresAt }, account.email),
  );
  return issuedReply(issued);
}

async function rotate(call: Call): Promise<Response> {
  const key = await requireOwnKey(call);
  const fields = await readFields(call.request, ['overlap']);
  const overlap = fields.oneOf('overlap', OVERLAPS);
  const issued = await refusing('conflict', () =>
    call.options.stores.keyRing.rotate(key, overlap, call.account.email),
  );
  return issuedReply(issued);
}

async function revoke(call: Call): Promise<Response> {
  const { id } = await requireOwnKey(call);
  if (await call.options.stores.keyRing.revoke(id, call.account.email)) return done();
  throw new Refused('conflict', 'This key was revoked before.');
}

/** @throws Refused `not_found`, the same for a key of another account and for none at all. */
async function requireOwnKey({ options, account, id }: Call): Promise<ApiKey> {
  const key = await options.stores.keys.find(id);
  if (key?.accountId === account.id) return key;
  throw new Refused('not_found', 'You have no key with this id.');
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

/** A key that has ended is not told to be banned: it would not work again after the ban. */
function stateOf(key: ApiKey, ban: BanRecord | undefined, now: number): KeyStateInfo {
  const state = keyState(key, now);
  if (state !== 'active') return state;
  if (ban) return 'banned';
  const isExpiring = key.expiresAt !== undefined && key.expiresAt - now <= EXPIRING_WITHIN;
  return isExpiring ? 'expiring' : 'active';
}

function isOverlap(name: string): name is RotationOverlap {
  return Object.hasOwn(ROTATION_OVERLAPS, name);
}
