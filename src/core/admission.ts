import type { Instant } from '../lib/clock.ts';
import { activeBan, type Ban, type BanPolicy, recordRefusal, type Strikes } from './bans.ts';
import type { Limits } from './plans.ts';
import {
  decideQuota,
  governingWindow,
  type QuotaDecision,
  type QuotaState,
  type WindowStanding,
} from './quota.ts';

/** Everything remembered about whoever sends a request. */
export interface CallerState {
  /** Of the account, or of the client address. */
  readonly quota: QuotaState | undefined;
  /** Of the API key. */
  readonly conduct: Strikes | undefined;
}

/** Whether a request goes on, and what its reply says about limits. */
export interface Verdict {
  readonly outcome: 'admitted' | 'limited' | 'banned';
  /** The limit that the reply speaks of. */
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the limit resets or the ban ends, whichever is later. */
  readonly resetIn: number;
  readonly minute: WindowStanding;
  readonly day: WindowStanding;
}

export interface Admission {
  readonly verdict: Verdict;
  readonly state: CallerState;
  /** The ban that this very request brought about. */
  readonly startedBan: Ban | undefined;
}

/**
 * Decides one request: the ban first, then both windows together. A pure function: the same state,
 * moment and limits give the same admission, whoever keeps the state.
 * @param policy the ban policy, or `undefined` for callers that are never banned.
 * @param cost 1 to take the request, 0 to only look.
 */
export function admit(
  state: CallerState,
  now: Instant,
  limits: Limits,
  policy: BanPolicy | undefined,
  cost: 0 | 1,
): Admission {
  const ban = activeBan(state.conduct, now);
  const decision = decideQuota(state.quota, limits, now, ban ? 0 : cost);
  if (ban) {
    const verdict = verdictOf(decision, ban.endsAt - now.elapsed);
    return { verdict, state, startedBan: undefined };
  }

  const quota = decision.state;
  if (decision.admitted || cost === 0 || !policy) {
    const verdict = verdictOf(decision);
    return { verdict, state: { quota, conduct: state.conduct }, startedBan: undefined };
  }
  const { resetIn } = governingWindow(decision);
  const conduct = recordRefusal(state.conduct, now, resetIn, policy);
  const startedBan = activeBan(conduct, now);
  return {
    verdict: verdictOf(decision, startedBan && startedBan.endsAt - now.elapsed),
    state: { quota, conduct },
    startedBan,
  };
}

/**
 * What a reply says of a decision.
 * @param banEndsIn milliseconds until the ban in force ends; none without a ban.
 */
export function verdictOf(decision: Omit<QuotaDecision, 'state'>, banEndsIn?: number): Verdict {
  const { minute, day, admitted } = decision;
  const { limit, remaining, resetIn } = governingWindow(decision);
  if (banEndsIn === undefined) {
    return { outcome: admitted ? 'admitted' : 'limited', limit, remaining, resetIn, minute, day };
  }
  // Waiting for the ban alone would lead into a window that is still exhausted.
  const wait = admitted ? banEndsIn : Math.max(banEndsIn, resetIn);
  return { outcome: 'banned', limit, remaining: 0, resetIn: wait, minute, day };
}
