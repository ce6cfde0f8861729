import { readConfig } from '../config/config.ts';
import { SetupError } from '../core/errors.ts';
import type { SignIn } from '../dashboard/session.ts';
import { MemoryAttemptCounts } from '../limits/memory/attempt-counts.ts';
import { printNote } from './output.ts';
import type { Session } from './session.ts';

/** The dashboard's sign-in; it sends no mail. */
export async function openSignIn({ stores, clock }: Session): Promise<SignIn> {
  const config = readConfig();
  const { dashboard } = config.addresses(config.port);
  if (new URL(dashboard).port === '0') {
    throw new SetupError(
      'Set PETSTORE_DASHBOARD_URL, or PETSTORE_PORT to other than 0: the link begins with it.',
    );
  }
  const attempts = new MemoryAttemptCounts();
  const log = { error: (_details: object, message: string) => printNote(message) };
  // Loaded here so that no other command waits for it.
  const { createSignIn } = await import('../dashboard/sign-in/sign-in.ts');
  const { operatorsNeedSecondFactor, signUpLimits } = config;
  const needed = { stores, attempts, operatorsNeedSecondFactor, signUpLimits, clock, log };
  return createSignIn({ ...needed, addresses: { dashboard }, mail: undefined });
}
