import { Visitor } from '../../support/dashboard-visitor.ts';
import type { ServiceProcess } from '../../support/process.ts';

/** Settings of a service whose visitors each have an address of their own, and as many sign-ups as they like. */
export const CRASH_SETTINGS = {
  PETSTORE_TRUSTED_PROXIES: '127.0.0.1,::1',
  PETSTORE_SIGN_UPS_PER_MINUTE: '1000000',
  PETSTORE_SIGN_UPS_PER_DAY: '1000000',
};

/** A change that was acknowledged is lost, or one was made twice or without being asked for. */
export class LostChange extends Error {
  override readonly name = 'LostChange';
}

/** One kind of change that must survive a kill of the service once it was acknowledged. */
export interface CrashSubject {
  readonly name: string;
  /** The number of acknowledged changes. */
  readonly acknowledged: number;
  /** Prepares a round, before its changes. */
  prepare(service: ServiceProcess): Promise<void>;
  /**
   * Makes one change and records whether it was acknowledged. Several calls may run at the same time.
   * @returns false if this round has had enough changes.
   */
  change(service: ServiceProcess): Promise<boolean>;
  /**
   * Checks the changes of the last round on a service that was started again.
   * @throws LostChange
   */
  check(service: ServiceProcess): Promise<void>;
}

let visitors = 0;

/** A visitor of a service that is killed and started again, each time on another port. */
export class LastingVisitor {
  readonly #email = `crash${++visitors}@example.com`;
  readonly #headers = { 'X-Forwarded-For': `2001:db8:${visitors.toString(16)}::1` };
  #cookie = '';

  /** Makes the account and signs in. */
  async signUp(service: ServiceProcess): Promise<void> {
    const visitor = new Visitor(dashboardOf(service), this.#email, { headers: this.#headers });
    await visitor.signUp();
    this.#cookie = visitor.cookie;
  }

  /** Whether the password still opens the account. */
  async canSignIn(service: ServiceProcess): Promise<boolean> {
    const visitor = new Visitor(dashboardOf(service), this.#email, { headers: this.#headers });
    const { email, password } = visitor;
    const { status } = await visitor.post('/api/auth/sign-in/email', { email, password });
    if (status !== 200 && status !== 401) throw new Error(`the sign-in gets ${status}`);
    return status === 200;
  }

  /** The visitor with its session. */
  at(service: ServiceProcess): Visitor {
    const visitor = new Visitor(dashboardOf(service), this.#email, { headers: this.#headers });
    visitor.cookie = this.#cookie;
    return visitor;
  }
}

/** Lists one animal with a key, and returns the status and the code of the reply. */
export async function statusOf(
  service: ServiceProcess,
  key: string,
  environment: 'production' | 'staging' = 'production',
): Promise<string> {
  const headers = { Authorization: `Bearer ${key}` };
  const reply = await fetch(`${service.url(environment)}/pets?limit=1`, { headers });
  if (reply.ok) return String(reply.status);
  const { code }: { code: string } = await reply.json();
  return `${reply.status} ${code}`;
}

function dashboardOf(service: ServiceProcess) {
  return { dashboardUrl: `http://localhost:${service.port}` };
}
