import { type Limits, type Plan, type Subscription, subscribe } from '../core/limits/plans.ts';

/** The account of every throwaway service, with limits that no test suite exhausts. */
export const DEFAULT_ACCOUNT = {
  email: 'throwaway@example.com',
  subscription: subscribe('enterprise', { perMinute: 1_000_000_000, perDay: 1_000_000_000 }),
} as const;

/**
 * The plan of an account of a fixture; by default Free.
 * @throws OperatorError when the limits do not match the plan.
 */
export function subscriptionOf({
  plan = 'free',
  perMinute,
  perDay,
}: { readonly plan?: Plan } & Partial<Limits>): Subscription {
  return subscribe(plan, { perMinute, perDay });
}
