import type { AuditAction } from '../../core/accounts/audit.ts';

/**
 * GET /api/security-events -> { events: SecurityEventInfo[] }: sign-ins, refused ones, and changes to the password and
 * second factors of the account, the newest first, at most 20. `before`: the number of an event.
 */
export interface SecurityEventInfo {
  readonly number: number;
  readonly at: number;
  readonly action: AuditAction;
  readonly detail: string;
  /** `null` for what a command or an operator did, and after 90 days. */
  readonly device: string | null;
  readonly address: string | null;
  /** `somebody` tried to sign in. */
  readonly by: 'holder' | 'operator' | 'somebody';
}
