import { type GroupReport, INTERRUPTION, RETENTION } from './process-group.ts';

/** Entries of the group that are not ids of processes. */
const [SINCE, LATEST, LOCALLY] = ['since', 'latest', 'locally'];
/** Precedes the id of a process that has stopped. */
const LEFT = 'left:';

/**
 * Stores a heartbeat in the sorted set of the group, by time. Returns the time, and all entries with their times:
 * the ids of the processes and of those that have stopped, the latest heartbeat and the latest request that was
 * admitted locally of any process, and since when heartbeats have arrived without interruption. Entries are only
 * dropped after an uninterrupted time, because after an interruption every process is late.
 * Arguments: id of the process; the latest report that it has received, or an empty string; ms since it last
 * admitted a request locally, or an empty string; 1 if it stops.
 */
export const HEARTBEAT = `
local at, key, id, received, locally = now(), KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local function get(entry) return tonumber(redis.call('ZSCORE', key, entry) or nil) end
local function set(entry, time) redis.call('ZADD', key, string.format('%.0f', time), entry) end

local since, latest = get('${SINCE}'), get('${LATEST}')
-- No two reports have the same time, unless the clock was set back by more than a second.
if latest and at <= latest and latest - at < 1000 then at = latest + 1 end
if not since or not latest or since > at or at - latest > ${INTERRUPTION} then since = at end
if at - since > ${RETENTION} then
  redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('(%.0f', at - ${RETENTION}))
end
set('${SINCE}', since)
set('${LATEST}', at)
if locally then set('${LOCALLY}', math.max(get('${LOCALLY}') or 0, at - locally)) end
if ARGV[4] == '1' then
  redis.call('ZREM', key, id)
  set('${LEFT}' .. id, at)
else
  set(id, math.min(received or at, at))
end
redis.call('PEXPIREAT', key, string.format('%.0f', at + 86400000))
return { at, redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') }
`;

/** The reply of the script. */
export type HeartbeatReply = [at: number, entries: string[]];

export function reportFrom([at, entries]: HeartbeatReply): GroupReport {
  const times = new Map<string, number>();
  for (let index = 0; index + 1 < entries.length; index += 2) {
    times.set(entries[index] ?? '', Number(entries[index + 1]));
  }
  const since = times.get(SINCE) ?? at;
  const locallyAt = times.get(LOCALLY) ?? 0;
  for (const entry of [SINCE, LATEST, LOCALLY]) times.delete(entry);
  const [stopped, running] = [new Set<string>(), new Map<string, number>()];
  for (const [entry, time] of times) {
    if (entry.startsWith(LEFT)) stopped.add(entry.slice(LEFT.length));
    else running.set(entry, time);
  }
  return { at, since, locallyAt, seen: running, left: [...stopped] };
}
