import type { Limits } from '../../src/core/limits/plans.ts';

/** Limits for a test that counts admitted requests: a minute that ends meanwhile, on a busy machine, admits no more. */
export function atMost(limit: number): Limits {
  return { perMinute: limit, perDay: limit };
}
