import type { AuditAction } from '../../src/core/accounts/audit.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import type { TestService } from '../support/harness.ts';
import { SoftwareAuthenticator } from '../support/software-authenticator.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** The client of a visitor in Firefox, as events describe it. */
export const FROM = { device: 'Firefox on Linux', address: '127.0.0.1' };

/** An event as the Account page gets it. */
export interface Event {
  readonly action: AuditAction;
  readonly detail: string;
  readonly device: string | null;
  readonly address: string | null;
  readonly by: string;
}

/** The events of a visitor, as the Account page shows them, the newest first. */
export async function eventsOf(visitor: Visitor): Promise<readonly Event[]> {
  const path = '/api/security-events';
  return (await visitor.json<{ events: readonly Event[] }>('GET', path)).events;
}

/** A visitor whose browser calls itself Firefox. */
export function inFirefox(service: TestService, email?: string): Visitor {
  return new Visitor(service, email, { headers: { 'User-Agent': FIREFOX } });
}

/** A new passkey for the service. */
export function authenticatorOf(service: TestService): SoftwareAuthenticator {
  return new SoftwareAuthenticator(new URL(service.dashboardUrl).origin);
}
