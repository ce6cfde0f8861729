import { ApiError, messageOf } from '../../core/errors.ts';
import type { SignInOptions } from './options.ts';

/**
 * better-auth's messages about a passkey that it does not accept, which it logs as errors. Nothing failed: the response
 * of the browser is malformed, or was made for another site, challenge or account.
 */
const REFUSED_PASSKEY: ReadonlySet<string> = new Set([
  'Failed to verify registration',
  'Failed to verify authentication',
]);

/** The longest cause of a refusal that is logged, in characters: it may repeat what a client sent. */
const CAUSE_LENGTH = 200;

/**
 * Writes better-auth's messages to the log, without their details, which could hold what a person typed. A refused
 * passkey is logged at level `info`, everything else as an error.
 * @throws ApiError `unavailable` if the store failed while a passkey was checked: better-auth would refuse the passkey.
 */
export function libraryLog(log: SignInOptions['log']) {
  return (_level: string, message: string, ...details: unknown[]): void => {
    const errors = details.filter((detail) => detail instanceof Error);
    const causes = errors.map((error) => messageOf(error).slice(0, CAUSE_LENGTH));
    const text = `sign-in: ${message}`;
    if (!REFUSED_PASSKEY.has(message)) {
      log.error({ causes }, text);
      return;
    }
    const failure = errors.find((error) => error instanceof ApiError);
    if (failure) throw failure;
    log.info({ causes }, text);
  };
}
