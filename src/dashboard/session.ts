import type { Account } from '../core/accounts.ts';

/** A signed-in person. */
export interface Session {
  readonly id: string;
  readonly account: Account;
  /** Whether the sign-in is recent enough for what asks for a recent one: new keys, and changes by operators. */
  readonly isRecent: boolean;
  /** Whether it was proven with a second factor, at the sign-in or by setting one up since. */
  readonly isProven: boolean;
}

/** Signing in, passwords and sessions. */
export interface SignIn {
  /**
   * Replies to requests below /api/auth: sign-up, sign-in, sign-out, passwords, sessions.
   * @param path below /api/auth
   * @param address of the client
   */
  handle(request: Request, path: string, address: string): Promise<Response>;
  /** The session of a request with these headers, if it has one. */
  session(headers: Headers): Promise<Session | undefined>;
  /** Those of these sessions (their ids) that exist and have not expired. */
  liveSessions(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Renews the session of a request once a day, and adds its new cookie to the reply. */
  renew(sent: Headers, reply: Headers): Promise<void>;
  /**
   * A link, for one use within an hour, that sets a new password.
   * `undefined` when no account has this address.
   */
  resetLink(email: string): Promise<string | undefined>;
  /** Waits for work that continues after replies, such as sending mail. */
  close(): Promise<void>;
}
