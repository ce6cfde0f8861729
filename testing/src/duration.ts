const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 };

/**
 * The seconds of a duration such as `'61s'`, `'15m'`, `'12h'` or `'30d'`.
 * @throws TypeError if it is not a duration.
 */
export function secondsOf(duration: string): number {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration) ?? [];
  const seconds = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (Number.isNaN(seconds)) throw new TypeError(`"${duration}" is not a duration such as 61s.`);
  return seconds;
}
