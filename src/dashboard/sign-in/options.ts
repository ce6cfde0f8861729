import type { DashboardOptions } from '../options.ts';

/** What signing in needs of the dashboard. */
export interface SignInOptions
  extends Pick<DashboardOptions, 'stores' | 'attempts' | 'mail' | 'clock' | 'log'> {
  readonly addresses: Pick<DashboardOptions['addresses'], 'dashboard'>;
}
