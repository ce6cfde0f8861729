import type { ClientContext, Result } from 'ioredis';

/**
 * The rules of src/core/quota.ts, bans.ts and admission.ts once more, in Lua, so that Redis looks and
 * counts in one step. Times are epoch ms by the server's clock.
 *
 * Each caller is one hash. Several numbers are one field, as MessagePack: reading and writing text took
 * a sixth of the script's time.
 * - `counts`: end and use of the minute, day and its use;
 * - `conduct:ID`, for each API key that was refused: end of the grace, end of the exhausted window,
 *   refusals, and the latest ban: start, length, end, level (0 without a ban);
 * - `until`: when Redis forgets the hash, a day after all of that lost its say.
 */

/** The moment by the server's clock. */
export const SERVER_CLOCK = `
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`;

/** Keys of one account whose strikes is remembered at once; an account has at most 100 live keys. */
const MAX_STRUCK_KEYS = 128;

const CALLER = `
local MINUTE, DAY = 60000, 86400000
local key, at = KEYS[1], now()
local today = math.floor(at / DAY)

local keptUntil = 0
local function read(...)
  local kept = redis.call('HMGET', key, 'until', ...)
  keptUntil = tonumber(kept[1]) or 0
  return kept
end

-- Redis forgets the hash a day after this moment, or after a later one that was asked for before.
local function keep(field, value, moment)
  local ends = moment + DAY
  if ends <= keptUntil then
    redis.call('HSET', key, field, value)
  else
    keptUntil = ends
    redis.call('HSET', key, field, value, 'until', string.format('%.0f', ends))
    redis.call('PEXPIREAT', key, string.format('%.0f', ends))
  end
end
`;

const QUOTA = `
local function keepQuota(quota)
  local value = cmsgpack.pack(quota.minuteEndsAt, quota.minuteUsed, quota.day, quota.dayUsed)
  keep('counts', value, (quota.day + 1) * DAY)
end

-- What is used of both windows at this moment.
local function readQuota(counts)
  local quota = { minuteEndsAt = at + MINUTE, minuteUsed = 0, day = today, dayUsed = 0 }
  if not counts then return quota end
  local minuteEndsAt, minuteUsed, day, dayUsed = cmsgpack.unpack(counts)
  -- After a clock was set back over midnight the later date stays in force.
  if day == today or day == today + 1 then quota.day, quota.dayUsed = day, dayUsed end
  if at < minuteEndsAt and minuteUsed > 0 then
    quota.minuteUsed = minuteUsed
    -- A clock that was set back must not make a minute longer than a minute.
    local wasSetBack = minuteEndsAt > at + MINUTE
    if not wasSetBack then quota.minuteEndsAt = minuteEndsAt end
    if wasSetBack then keepQuota(quota) end
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
  keep(field, value, expiresAt(strikes))
end

local function readStrikes(value)
  if not value then return nil end
  local strikes = {}
  strikes.graceEndsAt, strikes.windowEndsAt, strikes.refusals, strikes.banStartsAt,
    strikes.banLength, strikes.banEndsAt, strikes.level = cmsgpack.unpack(value)
  return strikes
end

-- Forgets strikes that have no say any more, and if that is not enough the one next to be forgotten.
local function makeRoom()
  local fields = redis.call('HGETALL', key)
  local left, next, nextAt = 0, nil, nil
  for i = 1, #fields, 2 do
    local strikes = string.sub(fields[i], 1, 8) == 'conduct:' and readStrikes(fields[i + 1])
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
 * Decides one request.
 * Arguments: requests per minute and per day, 1 to take or 0 to only look, the key's id or nothing,
 * and in one text refusals that bring a ban, length of a first and of the longest ban.
 * Reply: 1 if both windows have room; remaining and reset of the minute, of the day; with a ban in
 * force what is left of it; and of a ban that this request brought about its level and start.
 */
const ADMIT = `
local perMinute, perDay = tonumber(ARGV[1]), tonumber(ARGV[2])
local takes, field, hasKey = ARGV[3] == '1', 'conduct:' .. ARGV[4], ARGV[4] ~= ''

local kept = read('counts', field)
local quota = readQuota(kept[2])
local hasRoom = quota.minuteUsed < perMinute and quota.dayUsed < perDay

local function reply(...)
  return { hasRoom and 1 or 0,
    math.max(0, perMinute - quota.minuteUsed), quota.minuteEndsAt - at,
    math.max(0, perDay - quota.dayUsed), (quota.day + 1) * DAY - at, ... }
end

local function admitted()
  if takes then
    quota.minuteUsed, quota.dayUsed = quota.minuteUsed + 1, quota.dayUsed + 1
    keepQuota(quota)
  end
  return reply()
end

-- Nearly every request ends here, before the functions that only the others need are made.
if hasRoom and not kept[3] then return admitted() end
`;

const REFUSE = `
local strikes = hasKey and readStrikes(kept[3]) or nil
if strikes and strikes.level > 0 and at < strikes.banEndsAt then
  -- A clock that was set back must not make a ban longer than it was.
  if strikes.banEndsAt > at + strikes.banLength then
    strikes.banEndsAt = at + strikes.banLength
    saveStrikes(field, strikes)
  end
  return reply(strikes.banEndsAt - at)
end
if hasRoom then return admitted() end
if not takes or not hasKey then return reply() end

if not strikes or at >= strikes.windowEndsAt then
  local windowEndsIn = 0
  if quota.minuteUsed >= perMinute then windowEndsIn = quota.minuteEndsAt - at end
  if quota.dayUsed >= perDay then
    windowEndsIn = math.max(windowEndsIn, (quota.day + 1) * DAY - at)
  end
  local isNew = not strikes
  strikes = strikes or { banStartsAt = 0, banLength = 0, banEndsAt = 0, level = 0 }
  strikes.graceEndsAt, strikes.windowEndsAt, strikes.refusals = at + GRACE, at + windowEndsIn, 0
  if isNew then addStrikes(field, strikes) else saveStrikes(field, strikes) end
  return reply()
end
if at < strikes.graceEndsAt then return reply() end

strikes.refusals = strikes.refusals + 1
local after, base, maximum = string.match(ARGV[5], '(%d+) (%d+) (%d+)')
if strikes.refusals < tonumber(after) then
  saveStrikes(field, strikes)
  return reply()
end
local builds = strikes.level > 0 and at < strikes.banEndsAt + DAY
local level = builds and strikes.level + 1 or 1
local length = math.min(tonumber(maximum), tonumber(base) * 2 ^ (level - 1))
saveStrikes(field, { graceEndsAt = 0, windowEndsAt = 0, refusals = 0,
  banStartsAt = at, banLength = length, banEndsAt = at + length, level = level })
return reply(length, level, at)
`;

/**
 * Adds what was admitted elsewhere, whether there is room or not. Arguments: end and use of the minute,
 * day and its use.
 */
const SETTLE = `
local minuteEndsAt, minuteUsed = tonumber(ARGV[1]), tonumber(ARGV[2])
local day, dayUsed = tonumber(ARGV[3]), tonumber(ARGV[4])
local quota = readQuota(read('counts')[2])
if at < minuteEndsAt then
  if quota.minuteUsed == 0 then quota.minuteEndsAt = math.min(minuteEndsAt, at + MINUTE) end
  quota.minuteUsed = quota.minuteUsed + minuteUsed
end
if day == quota.day then quota.dayUsed = quota.dayUsed + dayUsed end
keepQuota(quota)
`;

/** Takes one back that was admitted. */
const GIVE_BACK = `
local quota = readQuota(read('counts')[2])
quota.minuteUsed = math.max(0, quota.minuteUsed - 1)
quota.dayUsed = math.max(0, quota.dayUsed - 1)
keepQuota(quota)
`;

/**
 * Puts a ban into force again unless one as late is known; what is left of it is bounded by its
 * length. Arguments: the key's id; start, length, end and level of the ban.
 */
const RESTORE_BAN = `
local field, startsAt, length = 'conduct:' .. ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local strikes = readStrikes(read(field)[2])
if strikes and strikes.level > 0 and strikes.banStartsAt >= startsAt then return end
local ban = { graceEndsAt = 0, windowEndsAt = 0, refusals = 0, banStartsAt = startsAt,
  banLength = length, banEndsAt = math.min(tonumber(ARGV[4]), at + length), level = tonumber(ARGV[5]) }
if expiresAt(ban) > at then addStrikes(field, ban) end
`;

/** Forgets a key's strikes if the ban that began then is its latest. Arguments: the key's id; start. */
const LIFT_BAN = `
local field = 'conduct:' .. ARGV[1]
local strikes = readStrikes(redis.call('HGET', key, field))
if strikes and strikes.banStartsAt == tonumber(ARGV[2]) then redis.call('HDEL', key, field) end
`;

/** Notes that a process is there; gives all that were there lately. Arguments: its id; ms that it counts. */
const BEAT = `
local at, lately = now(), tonumber(ARGV[2])
redis.call('ZADD', KEYS[1], string.format('%.0f', at), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('(%.0f', at - lately))
redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', at + 10 * lately))
return redis.call('ZRANGE', KEYS[1], 0, -1)
`;

/** The scripts as commands of the client, each on one key. */
export function scriptCommands(clock: string) {
  const script = (...parts: string[]) => ({ numberOfKeys: 1, lua: [clock, ...parts].join('') });
  return {
    petstoreAdmit: script(CALLER, QUOTA, ADMIT, STRIKES, REFUSE),
    petstoreSettle: script(CALLER, QUOTA, SETTLE),
    petstoreGiveBack: script(CALLER, QUOTA, GIVE_BACK),
    petstoreRestoreBan: script(CALLER, STRIKES, RESTORE_BAN),
    petstoreLiftBan: script(CALLER, STRIKES, LIFT_BAN),
    petstoreBeat: script(BEAT),
  };
}

// As the client's documentation tells to declare commands of one's own.
declare module 'ioredis' {
  interface RedisCommander<Context extends ClientContext> {
    petstoreAdmit(key: string, ...given: (string | number)[]): Result<number[], Context>;
    petstoreSettle(key: string, ...given: number[]): Result<null, Context>;
    petstoreGiveBack(key: string): Result<null, Context>;
    petstoreRestoreBan(key: string, ...given: (string | number)[]): Result<null, Context>;
    petstoreLiftBan(key: string, keyId: string, startsAt: number): Result<null, Context>;
    petstoreBeat(key: string, process: string, lately: number): Result<string[], Context>;
  }
}
