import type { Account } from '../../core/accounts/accounts.ts';
import {
  type Actor,
  type AuditAction,
  type AuditEntry,
  type ClientDescription,
  REFUSAL_INTERVAL,
  SOMEBODY,
} from '../../core/accounts/audit.ts';
import { SECOND } from '../../lib/clock.ts';
import { Throttle } from '../../lib/throttle.ts';
import { withTimeout } from '../../lib/timeout.ts';
import { EntryQueue } from './entry-queue.ts';
import type { SignInOptions } from './options.ts';

/** How long a reply waits for the entry that tells of it, so that the next page shows it, in ms. */
const LONGEST_WAIT = SECOND;

/** The holder of an account, as events name them. */
export type Holder = Pick<Account, 'id' | 'email'>;

/**
 * Security events (OWASP ASVS 5.0, 16.3): each is a line of the log, those of a known account are also audit entries,
 * and attempts to sign in are counted. Events contain nothing that a client sent but its address, so that no secret
 * that somebody typed into a wrong field is recorded. Recording an event never fails.
 */
export class SecurityEvents {
  readonly #options: SignInOptions;
  readonly #entries: EntryQueue;
  readonly #refusals = new Throttle(REFUSAL_INTERVAL);

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#entries = new EntryQueue(options.log);
  }

  /** @param means what the sign-in was proven with. */
  async signedIn({ id, email }: Holder, client: ClientDescription, means: string): Promise<void> {
    this.#options.metrics.recordSignIn('succeeded');
    await this.#record('session.signed_in', id, email, client, means);
  }

  /** The password was right, and a second factor is asked for. */
  secondFactorAsked(account: Holder | undefined, client: ClientDescription): void {
    this.#options.metrics.recordSignIn('second_factor');
    this.#writeLine('session.second_factor', account?.id, client, 'second factor asked for');
  }

  /**
   * A refused sign-in. The reply does not wait for the entry: the time that it takes would tell whether the address has
   * an account.
   * @param account `undefined` if it is not known; then there is no entry.
   */
  refused(account: Holder | undefined, client: ClientDescription, reason: string): void {
    this.#options.metrics.recordSignIn('refused');
    this.#writeLine('session.refused', account?.id, client, reason);
    if (account) this.#recordRefusal(account, SOMEBODY, client, reason);
  }

  /**
   * A sign-in that was not tried because there were too many attempts. Of one address one a minute is recorded, so that
   * whoever goes on does not fill the log.
   */
  limited(account: Holder | undefined, client: ClientDescription): void {
    this.#options.metrics.recordSignIn('limited');
    if (!this.#refusals.admits(`limited ${client.address}`, this.#elapsed())) return;
    const reason = 'too many attempts';
    this.#writeLine('session.limited', account?.id, client, reason);
    if (account) this.#recordRefusal(account, SOMEBODY, client, reason);
  }

  /** A wrong password in a session, where it is asked for once more. */
  passwordRefused(account: Holder, client: ClientDescription, reason: string): void {
    this.#writeLine('password.refused', account.id, client, reason);
    this.#recordRefusal(account, account.email, client, reason);
  }

  /** A changed password or a used recovery code. @param detail what allowed it, or is left. */
  async credentialEvent(
    action: 'password.changed' | 'second_factor.code_used',
    { id, email }: Holder,
    client: ClientDescription,
    detail: string,
  ): Promise<void> {
    await this.#record(action, id, email, client, detail);
  }

  /** A change of second factors, whose entry is written with the change. */
  factorChanged({ id }: Holder, client: ClientDescription, action: AuditAction): void {
    this.#writeLine(action, id, client, 'second factor changed');
  }

  async close(): Promise<void> {
    await this.#entries.close(LONGEST_WAIT);
  }

  #recordRefusal({ id }: Holder, by: Actor, client: ClientDescription, detail: string): void {
    // The store checks this for all processes; asking it for every attempt would cost a transaction.
    if (!this.#refusals.admits(`refused ${id}`, this.#elapsed())) return;
    void this.#write({
      at: this.#now(),
      by,
      action: 'session.refused',
      accountId: id,
      detail,
      client,
    });
  }

  async #record(
    action: AuditAction,
    accountId: string,
    by: Actor,
    client: ClientDescription,
    detail: string,
  ): Promise<void> {
    this.#writeLine(action, accountId, client, detail);
    const written = this.#write({ at: this.#now(), by, action, accountId, detail, client });
    await withTimeout(LONGEST_WAIT, () => written).catch(() => {});
  }

  #write(entry: AuditEntry): Promise<void> {
    const { accountId, action } = entry;
    return this.#entries.add({ accountId, action }, () =>
      this.#options.stores.audit.recordEvent(entry),
    );
  }

  #writeLine(
    event: string,
    account: string | undefined,
    client: ClientDescription,
    detail: string,
  ): void {
    this.#options.log.info({ event, account, ...client, detail }, 'security event');
  }

  #now(): number {
    return this.#options.clock.now().wall;
  }

  #elapsed(): number {
    return this.#options.clock.now().elapsed;
  }
}
