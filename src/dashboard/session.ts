import type { Account } from '../core/accounts.ts';

/** A signed-in person. */
export interface Session {
  readonly account: Account;
  /** Whether the sign-in is recent enough to create or rotate a key. */
  readonly isRecent: boolean;
}

/** Accounts, passwords and sessions, as better-auth keeps them. */
export interface SignIn {
  /**
   * Answers what lies below /api/auth: sign up, in and out, passwords, sessions.
   * @param path below /api/auth
   * @param address of the client
   */
  handle(request: Request, path: string, address: string): Promise<Response>;
  /** Who sends this request, if anybody is signed in. */
  session(headers: Headers): Promise<Session | undefined>;
  /** Prolongs the session of a request once a day, and the cookie with it, by the reply's headers. */
  renew(sent: Headers, reply: Headers): Promise<void>;
  /**
   * A link, for one use within an hour, that sets a new password.
   * `undefined` when no account has this address.
   */
  resetLink(email: string): Promise<string | undefined>;
  /** Waits for what goes on behind answers, such as mail that is being sent. */
  close(): Promise<void>;
}
