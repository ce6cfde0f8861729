import { firstKeptHour } from '../../../core/requests/usage.ts';
import { DAY, HOUR } from '../../../lib/clock.ts';
import { parseInstant } from '../../../lib/instant.ts';
import { DashboardError } from '../../errors.ts';

/** The longest period with hourly figures, in hours. */
const MOST_HOURS = 72;
/** How far back a period may begin, in ms: as long as usage is kept. */
const OLDEST = 31 * DAY;

/** Presets: a number of hours or UTC days up to now, the current one included. */
const PRESETS: ReadonlyMap<string, readonly [count: number, length: number]> = new Map([
  ['24h', [24, HOUR]],
  ['72h', [MOST_HOURS, HOUR]],
  ['7d', [7, DAY]],
  ['30d', [30, DAY]],
]);
const DEFAULT_PRESET = '24h';

/** Whole hours or UTC days. Times are epoch ms. */
export interface Period {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly bucketHours: 1 | 24;
}

/**
 * The period of a query, given as `last`, or as `from` and `to`.
 * @param now epoch ms.
 * @throws ApiError `invalid`
 */
export function periodFrom(query: URLSearchParams, now: number): Period {
  if (!query.has('from') && !query.has('to')) return latest(query.get('last'), now);
  if (query.has('last')) throw new DashboardError('invalid', 'Send "last", or "from" and "to".');
  const from = Math.max(timeFrom(query, 'from'), startOf(DAY, now - OLDEST));
  const to = Math.min(timeFrom(query, 'to'), now + DAY);
  if (to <= from) {
    throw new DashboardError('invalid', '"to" must be after "from", and within the last 31 days.');
  }
  const [begin, end] = [startOf(HOUR, from), endOf(HOUR, to)];
  const isByHour = end - begin <= MOST_HOURS * HOUR && begin >= firstKeptHour(now) * HOUR;
  if (isByHour) return { from: begin, to: end, bucketHours: 1 };
  return { from: startOf(DAY, from), to: endOf(DAY, to), bucketHours: 24 };
}

function latest(last: string | null, now: number): Period {
  const preset = PRESETS.get(last ?? DEFAULT_PRESET);
  if (!preset) {
    const names = [...PRESETS.keys()].join(', ');
    throw new DashboardError('invalid', `"last" must be one of: ${names}.`);
  }
  const [count, length] = preset;
  const to = startOf(length, now) + length;
  return { from: to - count * length, to, bucketHours: length === HOUR ? 1 : 24 };
}

/** @throws ApiError `invalid` */
function timeFrom(query: URLSearchParams, name: 'from' | 'to'): number {
  const text = query.get(name) ?? '';
  const time = /T.*Z$/.test(text) ? parseInstant(text) : undefined;
  if (time !== undefined) return time;
  throw new DashboardError(
    'invalid',
    `"${name}" must be a time in UTC, such as 2026-11-22T09:00:00Z.`,
  );
}

/** The start of the UTC hour or day (`length` in ms) that contains `moment` (epoch ms). */
export function startOf(length: number, moment: number): number {
  return Math.floor(moment / length) * length;
}

function endOf(length: number, moment: number): number {
  return Math.ceil(moment / length) * length;
}
