import { PARTS } from '../../src/config/config.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { ManualClock, TestService } from '../support/harness.ts';

const SETTINGS = { PETSTORE_TRUSTED_PROXIES: '127.0.0.1, ::1' };

/** A service behind a proxy, so that clients have their own addresses. */
export class Scene implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly service: TestService;

  private constructor(clock: ManualClock, service: TestService) {
    this.clock = clock;
    this.service = service;
  }

  /** @param more settings by name. */
  static async start(more: Readonly<Record<string, string>> = {}): Promise<Scene> {
    const clock = new ManualClock();
    const settings = { ...SETTINGS, ...more };
    return new Scene(clock, await TestService.start({ parts: PARTS, clock, settings }));
  }

  /** A visitor with an account. */
  async person(): Promise<Visitor> {
    const visitor = this.visitor('192.0.2.1', 'person@example.com');
    await visitor.signUp();
    return visitor;
  }

  visitor(address: string, email: string): Visitor {
    return new Visitor(this.service, email, { headers: { 'X-Forwarded-For': address } });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.service[Symbol.asyncDispose]();
  }
}

/** The status of a sign-in with a wrong password. */
export async function guessWith(visitor: Visitor): Promise<number> {
  const body = { email: visitor.email, password: 'not the password' };
  return (await visitor.post('/api/auth/sign-in/email', body)).status;
}
