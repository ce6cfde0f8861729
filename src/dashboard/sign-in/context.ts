import type { ClientDescription } from '../../core/accounts/audit.ts';
import type { Attempts } from './attempts.ts';
import type { Auth, AuthContext } from './auth.ts';
import type { CookieSignatures } from './cookie-signatures.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import type { Mailer } from './mailer.ts';
import type { SignInOptions } from './options.ts';
import type { SecurityEvents } from './security-events.ts';
import type { findSession } from './session-age.ts';

/** The dependencies of all operations below /api/auth. */
export interface SignInParts {
  readonly auth: Auth;
  readonly authContext: AuthContext;
  readonly options: SignInOptions;
  readonly attempts: Attempts;
  readonly browsers: KnownBrowsers;
  readonly events: SecurityEvents;
  readonly signatures: CookieSignatures;
  /** `undefined` if no mail is sent. */
  readonly mailer: Mailer | undefined;
  /** Work that continues after the reply. */
  readonly jobs: Set<Promise<void>>;
}

/** One request below /api/auth. */
export interface SignInContext extends SignInParts {
  readonly request: Request;
  /** The request's headers that are passed to better-auth. */
  readonly headers: Headers;
  /** The session of the request, if it has not reached its maximum age. */
  readonly session: Awaited<ReturnType<typeof findSession>>;
  /** The address of the client. */
  readonly address: string;
  /** The client, as events describe it. */
  readonly client: ClientDescription;
}

/** A success: the body of the reply, and headers that set or expire cookies. */
export interface Outcome {
  readonly body: unknown;
  readonly headers?: Headers | undefined;
}

export const DONE: Outcome = { body: { status: true } };

/** Runs work after the reply, which neither waits for it nor depends on its outcome. */
export function inBackground(
  { options, jobs }: SignInParts,
  job: string,
  work: () => Promise<unknown>,
): void {
  const running = (async () => {
    try {
      await work();
    } catch (error) {
      options.log.error({ job, err: error }, 'mail was not sent');
    }
  })();
  jobs.add(running);
  void running.then(() => jobs.delete(running));
}
