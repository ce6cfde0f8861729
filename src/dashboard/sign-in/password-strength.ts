import { lazyImport } from '../../lib/lazy.ts';
import { DashboardError } from '../errors.ts';
import type { Attempt } from './attempts.ts';
import { PasswordRater, type PasswordToRate } from './password-rater.ts';

const ADVICE = 'Choose another one, such as four words that have nothing to do with each other.';

/** Shared by all services of the process, since its word lists and their tables take some 30 MB. */
const loadRater = lazyImport(async () => {
  const rater = new PasswordRater();
  await rater.load();
  return rater;
});

/**
 * Refuses common and guessable passwords.
 * @param attempt that is given back to the account unless the password is accepted, since it was
 * not a guess.
 * @throws ApiError `weak_password`, or `too_many_attempts` if too many passwords are waiting
 */
export async function refuseGuessable(given: PasswordToRate, attempt?: Attempt): Promise<void> {
  try {
    const rater = await loadRater();
    const reason = await rater.rate(given);
    if (reason === undefined) return;
    throw new DashboardError(
      'weak_password',
      `This password is easy to guess. ${reason} ${ADVICE}`,
    );
  } catch (error) {
    await attempt?.giveBack();
    throw error;
  }
}
