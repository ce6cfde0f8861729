import { isAPIError } from 'better-auth/api';
import { ApiError } from '../../core/errors.ts';
import type { Entered } from '../shared/api.ts';
import type { Outcome, SignInContext } from './context.ts';
import { translated } from './errors.ts';
import type { Holder } from './security-events.ts';

/** A reply to an attempt to sign in. */
export interface EntryOutcome extends Outcome {
  readonly body: Entered;
}

/** What an attempt to sign in is made with: the text in its event, and the reason when it is wrong. */
const MEANS = {
  password: ['password', 'wrong password'],
  code: ['password and code of an app', 'wrong code'],
  recoveryCode: ['password and recovery code', 'wrong recovery code'],
  passkey: ['passkey', 'passkey not accepted'],
} as const;

/** The attempt; `account` is set as soon as it is known, so that a refusal names it. */
export interface Attempted {
  account: Holder | undefined;
}

/**
 * Makes an attempt to sign in, and reports how it ended as a security event.
 * @throws whatever the attempt throws
 */
export async function reported(
  context: SignInContext,
  means: keyof typeof MEANS,
  attempt: (attempted: Attempted) => Promise<EntryOutcome>,
): Promise<EntryOutcome> {
  const { events, client } = context;
  const attempted: Attempted = { account: undefined };
  const [proof, wrong] = MEANS[means];
  try {
    const outcome = await attempt(attempted);
    const { user } = outcome.body;
    if (user) await events.signedIn(user, client, proof);
    else events.secondFactorAsked(attempted.account, client);
    return outcome;
  } catch (error) {
    const reason = reasonOf(error, wrong);
    if (reason === 'limited') events.limited(attempted.account, client);
    else if (reason !== undefined) events.refused(attempted.account, client, reason);
    throw error;
  }
}

/** Why an attempt was refused; `undefined` when the service failed. */
function reasonOf(error: unknown, wrong: string): string | undefined {
  if (isAPIError(error) && error.body?.code === 'EMAIL_NOT_VERIFIED') {
    return 'address not confirmed';
  }
  const known = translated(error);
  const code: unknown = known instanceof ApiError ? known.code : undefined;
  switch (code) {
    case undefined:
    case 'unavailable':
    case 'failed':
      return undefined;
    case 'too_many_attempts':
      return 'limited';
    case 'invalid_credentials':
      return wrong;
    case 'sign_in_again':
      return 'second step without a password, or too late';
    default:
      return 'invalid request';
  }
}
