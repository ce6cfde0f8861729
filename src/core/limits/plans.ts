import { OperatorError } from '../errors.ts';

/** Requests that a caller may make in each window; at least 1. */
export interface Limits {
  readonly perMinute: number;
  /** Per UTC day. */
  readonly perDay: number;
}

export const PLAN_NAMES = ['free', 'pro', 'business', 'enterprise'] as const;

export type Plan = (typeof PLAN_NAMES)[number];

/** The published plans. The limits of Enterprise are stored with each account. */
export const PLANS = {
  free: { title: 'Free', limits: { perMinute: 60, perDay: 1_000 } },
  pro: { title: 'Pro', limits: { perMinute: 300, perDay: 10_000 } },
  business: { title: 'Business', limits: { perMinute: 1_000, perDay: 100_000 } },
  enterprise: { title: 'Enterprise', limits: undefined },
} as const satisfies Record<Plan, { title: string; limits: Limits | undefined }>;

export function isPlan(name: string): name is Plan {
  return Object.hasOwn(PLANS, name);
}

/** A plan with its limits. */
export interface Subscription {
  readonly plan: Plan;
  readonly limits: Limits;
}

/**
 * Combines a plan with its limits.
 * @throws OperatorError for an unknown plan (it is never treated as Free), for Enterprise without
 * custom limits, and for any other plan with custom limits.
 */
export function subscribe(
  name: string,
  { perMinute, perDay }: { readonly [Window in keyof Limits]?: number | undefined } = {},
): Subscription {
  if (!isPlan(name)) {
    throw new OperatorError(`Unknown plan "${name}". Use one of: ${PLAN_NAMES.join(', ')}.`);
  }
  const published = PLANS[name].limits;
  if (published) {
    if (perMinute === undefined && perDay === undefined) return { plan: name, limits: published };
    throw new OperatorError(`Plan "${name}" has fixed limits. Only enterprise takes its own.`);
  }
  if (!isCount(perMinute) || !isCount(perDay)) {
    throw new OperatorError(
      `Plan "${name}" needs requests per minute and per day, as whole numbers of at least 1.`,
    );
  }
  return { plan: name, limits: { perMinute, perDay } };
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 1;
}
