import { HOUR, MINUTE, SECOND } from '../lib/clock.ts';

/** A wait in ms as text, rounded up, such as `42 seconds` or `3 hours`. */
export function describeWait(wait: number): string {
  if (wait < 2 * MINUTE) return count(wait / SECOND, 'second');
  return wait < 2 * HOUR ? count(wait / MINUTE, 'minute') : count(wait / HOUR, 'hour');
}

function count(amount: number, unit: string): string {
  const whole = Math.max(1, Math.ceil(amount));
  return `${whole} ${unit}${whole === 1 ? '' : 's'}`;
}
