import fc from 'fast-check';
import { HOUR, MINUTE, SECOND } from '../../../src/lib/clock.ts';

/** Time that passes, or requests with one of three keys. */
export type Step = { pass: number } | { key: number; times: number };

const pause = fc.oneof(
  fc.integer({ min: 0, max: 3 * SECOND }),
  fc.constantFrom(1, 2 * SECOND, MINUTE - 1, MINUTE, MINUTE + 1),
  fc.integer({ min: 0, max: 10 * MINUTE }),
  fc.integer({ min: HOUR, max: 30 * HOUR }),
);
const asking = fc.record({ key: fc.nat(2), times: fc.integer({ min: 1, max: 12 }) });
/** Sequences of steps. */
export const steps = fc.array(
  fc.oneof({ weight: 1, arbitrary: fc.record({ pass: pause }) }, { weight: 2, arbitrary: asking }),
  { minLength: 10, maxLength: 60 },
);
/** Limits that such sequences exhaust. */
export const limits = fc.record({
  perMinute: fc.integer({ min: 1, max: 6 }),
  perDay: fc.integer({ min: 1, max: 25 }),
});
