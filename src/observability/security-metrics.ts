import {
  REFUSAL_REASONS,
  type SecurityMetrics,
  SIGN_IN_OUTCOMES,
} from '../core/accounts/security-metrics.ts';
import type { MetricsRegistry } from './prometheus.ts';

/** Adds the counters of sign-ins and of refused requests to the dashboard. */
export function securityMetrics(registry: MetricsRegistry): SecurityMetrics {
  const signIns = registry.counter(
    'petstore_sign_ins_total',
    'Attempts to sign in to the dashboard, by outcome.',
    ['outcome'],
  );
  const refusals = registry.counter(
    'petstore_dashboard_refusals_total',
    'Requests to the dashboard that were refused for a reason that may be an attack.',
    ['reason'],
  );
  // Initialised to 0, so that the first one appears as an increase.
  for (const outcome of SIGN_IN_OUTCOMES) signIns.inc({ outcome }, 0);
  for (const reason of REFUSAL_REASONS) refusals.inc({ reason }, 0);
  return {
    recordSignIn: (outcome) => signIns.inc({ outcome }),
    recordRefusal: (reason) => refusals.inc({ reason }),
  };
}
