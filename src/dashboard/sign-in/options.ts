import type { DashboardOptions } from '../options.ts';

/** The options of the dashboard that sign-in uses. */
export interface SignInOptions
  extends Pick<
    DashboardOptions,
    | 'stores'
    | 'attempts'
    | 'signUpLimits'
    | 'mail'
    | 'operatorsNeedSecondFactor'
    | 'clock'
    | 'passwords'
    | 'log'
    | 'metrics'
  > {
  readonly addresses: Pick<DashboardOptions['addresses'], 'dashboard'>;
}
