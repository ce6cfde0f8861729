import { REFUSAL_REASONS, type RefusalReason } from '../core/accounts/security-metrics.ts';
import { ApiError } from '../core/errors.ts';
import { MINUTE } from '../lib/clock.ts';
import { Throttle } from '../lib/throttle.ts';
import type { DashboardOptions } from './options.ts';
import type { Session } from './session.ts';

/** A request to the dashboard. */
interface Sent {
  readonly request: Pick<Request, 'method'>;
  /** Below the dashboard's address. */
  readonly path: string;
  /** Of the client. */
  readonly address: string;
  readonly session?: Session | undefined;
}

/** Attempts to sign in, whose refusals are security events of their own (`sign-in/security-events.ts`). */
const SIGN_IN = /^\/api\/auth\/sign-in\/(?!passkey-options)/;

/** A part of a path that is none of a client's making: words without a long run of letters and digits. */
const PLAIN = /^(?!.*[^\W_]{20})[\w.-]*$/;

/** The longest path that is logged, in characters. */
const PATH_LENGTH = 100;

/**
 * Logs and counts refused requests that may be an attack (OWASP ASVS 5.0, 16.3.2 and 16.3.3): requests that another
 * site triggers, that the account may not send, that guess a password or a link, and too many of them. Of equal
 * refusals of one address and account one a minute is logged, so that nobody fills the log; all are counted.
 */
export class RefusedRequests {
  readonly #options: Pick<DashboardOptions, 'log' | 'metrics' | 'clock'>;
  readonly #lines = new Throttle(MINUTE);

  constructor(options: Pick<DashboardOptions, 'log' | 'metrics' | 'clock'>) {
    this.#options = options;
  }

  /** Reports the error that this request got; any other than these refusals is ignored. */
  of(sent: Sent): (error: unknown) => void {
    return (error) => this.#report(error, sent);
  }

  #report(error: unknown, { request: { method }, path, address, session }: Sent): void {
    const { log, metrics, clock } = this.#options;
    const reason = reasonOf(error);
    if (reason === undefined) return;
    if (SIGN_IN.test(path)) {
      if (reason === 'rate_limited') metrics.recordSignIn('limited');
      else if (reason !== 'other_site') return;
    }
    metrics.recordRefusal(reason);
    const account = session?.account.id;
    if (!this.#lines.admits(`${reason} ${address} ${account}`, clock.now().elapsed)) return;
    const at = { method, path: loggedPath(path), address, account };
    log.info({ event: 'request.refused', reason, ...at }, 'request refused');
  }
}

function reasonOf(error: unknown): RefusalReason | undefined {
  const code: unknown = error instanceof ApiError ? error.code : undefined;
  return REFUSAL_REASONS.find((reason) => reason === code);
}

/** Without the parts in which a client could have put a secret by mistake; ids are hidden, too. */
function loggedPath(path: string): string {
  const parts = path.slice(0, PATH_LENGTH).split('/');
  return parts.map((part) => (PLAIN.test(part) ? part : '[hidden]')).join('/');
}
