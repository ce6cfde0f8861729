import { DAY } from '../lib/clock.ts';

/** How long the reply to a request with an `Idempotency-Key` is remembered, in ms. */
export const REMEMBERED = DAY;
