import type { ClientContext, Result } from 'ioredis';
import { HEARTBEAT, type HeartbeatReply } from './group-script.ts';

/** The beginning of the names of fields with strikes, which processes of all 1.x releases share. */
const STRIKES_PREFIX = 'conduct:';

/**
 * The rules of src/core/limits/quota.ts, bans.ts and rate-limit.ts in Lua, so that Redis checks and counts atomically.
 * Times are epoch ms on the caller's clock. The first argument of every script on a caller is the offset of that
 * clock from the server's clock, in ms.
 *
 * Each caller has one hash. Related numbers are stored in one field as MessagePack: reading and writing text took
 * a sixth of the script's time.
 * - `counts`: end of the minute and requests used in it, day and requests used in it;
 * - `conduct:ID`: the strikes of a key chain, by the id of its first key: end of the grace, end of the exhausted
 *   window, refusals, and the latest ban: start, length, end, level (0 without a ban);
 * - `until`: when the hash expires on the server's clock, a day after all other fields have expired.
 */

/** The time on the server's clock. */
export const SERVER_CLOCK = `
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`;

/** The maximum number of key chains of one account with stored strikes; an account has at most 100 active keys. */
const MAX_STRUCK_KEYS = 128;

const CALLER = `
local MINUTE, DAY = 60000, 86400000
local key, offset = KEYS[1], tonumber(ARGV[1])
local at = now() + offset
local today = math.floor(at / DAY)

local expires = 0
local function read(...)
  local fields = redis.call('HMGET', key, 'until', ...)
  expires = tonumber(fields[1]) or 0
  return fields
end

-- Stores a field that is valid until this time of the caller; the hash expires a day after the last of its
-- fields, by the server's clock.
local function save(field, value, validUntil)
  local ends = validUntil - offset + DAY
  if ends <= expires then
    redis.call('HSET', key, field, value)
  else
    expires = ends
    redis.call('HSET', key, field, value, 'until', string.format('%.0f', ends))
    redis.call('PEXPIREAT', key, string.format('%.0f', ends))
  end
end
`;

const QUOTA = `
local function saveQuota(quota)
  local value = cmsgpack.pack(quota.minuteEndsAt, quota.minuteUsed, quota.day, quota.dayUsed)
  save('counts', value, (quota.day + 1) * DAY)
end

-- The use of both windows now.
local function readQuota(counts)
  local quota = { minuteEndsAt = at + MINUTE, minuteUsed = 0, day = today, dayUsed = 0 }
  if not counts then return quota end
  local minuteEndsAt, minuteUsed, day, dayUsed = cmsgpack.unpack(counts)
  -- When the clock was set back over midnight, the later day stays in force.
  if day == today or day == today + 1 then quota.day, quota.dayUsed = day, dayUsed end
  if at < minuteEndsAt and minuteUsed > 0 then
    quota.minuteUsed = minuteUsed
    -- A clock that was set back must not make a minute longer than a minute.
    if minuteEndsAt > at + MINUTE then saveQuota(quota) else quota.minuteEndsAt = minuteEndsAt end
  end
  return quota
end
`;

const STRIKES = `
local GRACE = 2000

local function expiresAt(strikes)
  return math.max(strikes.windowEndsAt, strikes.level > 0 and strikes.banEndsAt + DAY or 0)
end

local function saveStrikes(field, strikes)
  local value = cmsgpack.pack(strikes.graceEndsAt, strikes.windowEndsAt, strikes.refusals,
    strikes.banStartsAt, strikes.banLength, strikes.banEndsAt, strikes.level)
  save(field, value, expiresAt(strikes))
end

local function readStrikes(value)
  if not value then return nil end
  local strikes = {}
  strikes.graceEndsAt, strikes.windowEndsAt, strikes.refusals, strikes.banStartsAt,
    strikes.banLength, strikes.banEndsAt, strikes.level = cmsgpack.unpack(value)
  return strikes
end

-- Deletes expired strikes, or if there are none the strikes that expire next.
local function makeRoom()
  local fields = redis.call('HGETALL', key)
  local left, next, nextAt = 0, nil, nil
  for i = 1, #fields, 2 do
    local strikes = string.sub(fields[i], 1, ${STRIKES_PREFIX.length}) == '${STRIKES_PREFIX}' and readStrikes(fields[i + 1])
    if strikes and expiresAt(strikes) <= at then
      redis.call('HDEL', key, fields[i])
    elseif strikes then
      left = left + 1
      local ends = expiresAt(strikes)
      if not next or ends < nextAt then next, nextAt = fields[i], ends end
    end
  end
  if left >= ${MAX_STRUCK_KEYS} then redis.call('HDEL', key, next) end
end

local function addStrikes(field, strikes)
  if redis.call('HLEN', key) >= ${MAX_STRUCK_KEYS} then makeRoom() end
  saveStrikes(field, strikes)
end
`;

/**
 * Decides on one request.
 * Further arguments: requests per minute and per day; as how many requests it counts, 0 to only check; the id of the
 * key chain, or an empty string; the ban policy as one string: refusals before a ban, length of the first and of
 * the longest ban.
 * Reply: 1 if both windows have requests remaining; remaining and reset of the minute, then of the day; during a
 * ban the time left until it ends, its level, its start and its end, and 1 if this request started it.
 */
const ADMIT = `
local perMinute, perDay = tonumber(ARGV[2]), tonumber(ARGV[3])
local cost, field, hasKey = tonumber(ARGV[4]), '${STRIKES_PREFIX}' .. ARGV[5], ARGV[5] ~= ''

local fields = read('counts', field)
local quota = readQuota(fields[2])
local hasRoom = quota.minuteUsed < perMinute and quota.dayUsed < perDay

local function reply(...)
  return { hasRoom and 1 or 0,
    math.max(0, perMinute - quota.minuteUsed), quota.minuteEndsAt - at,
    math.max(0, perDay - quota.dayUsed), (quota.day + 1) * DAY - at, ... }
end

local function admitted()
  if cost > 0 then
    quota.minuteUsed, quota.dayUsed = quota.minuteUsed + cost, quota.dayUsed + cost
    saveQuota(quota)
  end
  return reply()
end

-- Nearly every request ends here, before the functions for refusals and bans are defined.
if hasRoom and not fields[3] then return admitted() end
`;

const REFUSE = `
local strikes = hasKey and readStrikes(fields[3]) or nil
if strikes and strikes.level > 0 and at < strikes.banEndsAt then
  -- A clock that was set back must not make a ban longer.
  if strikes.banEndsAt > at + strikes.banLength then
    strikes.banEndsAt = at + strikes.banLength
    saveStrikes(field, strikes)
  end
  return reply(strikes.banEndsAt - at, strikes.level, strikes.banStartsAt, strikes.banEndsAt, 0)
end
if hasRoom then return admitted() end
if cost == 0 or not hasKey then return reply() end

local windowEndsIn = 0
if quota.minuteUsed >= perMinute then windowEndsIn = quota.minuteEndsAt - at end
if quota.dayUsed >= perDay then
  windowEndsIn = math.max(windowEndsIn, (quota.day + 1) * DAY - at)
end
-- A raised limit or a changed clock can end the window of the strikes earlier: then another one refuses now.
if not strikes or at >= strikes.windowEndsAt
  or at + windowEndsIn + GRACE < strikes.windowEndsAt then
  local isNew = not strikes
  strikes = strikes or { banStartsAt = 0, banLength = 0, banEndsAt = 0, level = 0 }
  strikes.graceEndsAt, strikes.windowEndsAt, strikes.refusals = at + GRACE, at + windowEndsIn, 0
  if isNew then addStrikes(field, strikes) else saveStrikes(field, strikes) end
  return reply()
end
if at < strikes.graceEndsAt then return reply() end

strikes.refusals = strikes.refusals + 1
local after, base, maximum = string.match(ARGV[6], '(%d+) (%d+) (%d+)')
if strikes.refusals < tonumber(after) then
  saveStrikes(field, strikes)
  return reply()
end
local builds = strikes.level > 0 and at < strikes.banEndsAt + DAY
local level = builds and strikes.level + 1 or 1
local length = math.min(tonumber(maximum), tonumber(base) * 2 ^ (level - 1))
saveStrikes(field, { graceEndsAt = 0, windowEndsAt = 0, refusals = 0,
  banStartsAt = at, banLength = length, banEndsAt = at + length, level = level })
return reply(length, level, at, at + length, 1)
`;

/**
 * Adds requests that a process admitted locally, even if that exceeds the limits. Further arguments: end of the
 * minute and requests used in it, day and requests used in it.
 */
const ADD_COUNTS = `
local minuteEndsAt, minuteUsed = tonumber(ARGV[2]), tonumber(ARGV[3])
local day, dayUsed = tonumber(ARGV[4]), tonumber(ARGV[5])
local quota = readQuota(read('counts')[2])
if at < minuteEndsAt then
  if quota.minuteUsed == 0 then quota.minuteEndsAt = math.min(minuteEndsAt, at + MINUTE) end
  quota.minuteUsed = quota.minuteUsed + minuteUsed
end
if day == quota.day then quota.dayUsed = quota.dayUsed + dayUsed end
saveQuota(quota)
`;

/**
 * Sets the used requests of the current windows. Further arguments: requests used in the minute and in the day;
 * an empty string leaves a window unchanged.
 */
const SET_USED = `
local quota = readQuota(read('counts')[2])
quota.minuteUsed = tonumber(ARGV[2]) or quota.minuteUsed
quota.dayUsed = tonumber(ARGV[3]) or quota.dayUsed
saveQuota(quota)
`;

/** Subtracts an admitted request from the counts. Further argument: as how many requests it counted. */
const GIVE_BACK = `
local quota = readQuota(read('counts')[2])
quota.minuteUsed = math.max(0, quota.minuteUsed - tonumber(ARGV[2]))
quota.dayUsed = math.max(0, quota.dayUsed - tonumber(ARGV[2]))
saveQuota(quota)
`;

/**
 * Restores a ban unless a stored ban started at the same time or later; the time left until it ends is at most its
 * length. Further arguments: the id of the key chain; start, length, end and level of the ban.
 */
const RESTORE_BAN = `
local field, startsAt, length = '${STRIKES_PREFIX}' .. ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local strikes = readStrikes(read(field)[2])
if strikes and strikes.level > 0 and strikes.banStartsAt >= startsAt then return end
local ban = { graceEndsAt = 0, windowEndsAt = 0, refusals = 0, banStartsAt = startsAt,
  banLength = length, banEndsAt = math.min(tonumber(ARGV[5]), at + length), level = tonumber(ARGV[6]) }
if expiresAt(ban) > at then addStrikes(field, ban) end
`;

/** Deletes the strikes of a key chain if this is its latest ban. Further arguments: the chain's id; the ban's start. */
const LIFT_BAN = `
local field = '${STRIKES_PREFIX}' .. ARGV[2]
local strikes = readStrikes(redis.call('HGET', key, field))
if strikes and strikes.banStartsAt == tonumber(ARGV[3]) then redis.call('HDEL', key, field) end
`;

/** The name of the field with the strikes of a key chain. */
export function strikesField(chainId: string): string {
  return `${STRIKES_PREFIX}${chainId}`;
}

/** The scripts as commands of the client, each on one key. */
export function scriptCommands(clock: string) {
  const script = (...parts: string[]) => ({ numberOfKeys: 1, lua: [clock, ...parts].join('') });
  return {
    petstoreAdmit: script(CALLER, QUOTA, ADMIT, STRIKES, REFUSE),
    petstoreAddCounts: script(CALLER, QUOTA, ADD_COUNTS),
    petstoreSetUsed: script(CALLER, QUOTA, SET_USED),
    petstoreGiveBack: script(CALLER, QUOTA, GIVE_BACK),
    petstoreRestoreBan: script(CALLER, STRIKES, RESTORE_BAN),
    petstoreLiftBan: script(CALLER, STRIKES, LIFT_BAN),
    petstoreHeartbeat: script(HEARTBEAT),
  };
}

// Declares custom commands as documented by ioredis.
declare module 'ioredis' {
  interface RedisCommander<Context extends ClientContext> {
    petstoreAdmit(key: string, ...args: (string | number)[]): Result<number[], Context>;
    petstoreAddCounts(key: string, ...args: number[]): Result<null, Context>;
    petstoreSetUsed(key: string, ...args: (string | number)[]): Result<null, Context>;
    petstoreGiveBack(key: string, clockOffset: number, cost: number): Result<null, Context>;
    petstoreRestoreBan(key: string, ...args: (string | number)[]): Result<null, Context>;
    petstoreLiftBan(key: string, ...args: (string | number)[]): Result<null, Context>;
    petstoreHeartbeat(
      key: string,
      process: string,
      received: number | '',
      locally: number | '',
      leaves: 0 | 1,
    ): Result<HeartbeatReply, Context>;
  }
}
