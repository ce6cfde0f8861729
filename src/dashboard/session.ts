import type { Account } from '../core/accounts/accounts.ts';

/** A signed-in person. */
export interface Session {
  readonly id: string;
  readonly account: Account;
  /**
   * Whether the sign-in is recent enough for sensitive requests: new keys, and changes by
   * operators.
   */
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
  /** The given session ids whose sessions exist and have not expired. */
  liveSessions(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Renews the session of a request, at most once a day, and adds its new cookie to the reply; also
   * one that is only signed anew, after the secret has changed.
   */
  renew(sent: Headers, reply: Headers): Promise<void>;
  /** Encrypts the secrets of authenticator apps with the current secret; may raise `StorageUnavailable`. */
  moveSecondFactors(): Promise<void>;
  /**
   * A link that sets a new password, once, within an hour. `undefined` if no account has this
   * address.
   */
  resetLink(email: string): Promise<string | undefined>;
  /** Waits for work that continues after replies, such as sending mail. */
  close(): Promise<void>;
}
