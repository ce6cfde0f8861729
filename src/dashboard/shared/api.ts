import type { SecondFactor } from '../../core/accounts/second-factors.ts';
import type { ApiName, Environment } from '../../core/environments.ts';
import type { RotationOverlap } from '../../core/keys/api-key-service.ts';
import type { Plan } from '../../core/limits/plans.ts';
import type { MessageStatus } from '../../core/messages/messages.ts';
import type { Stability } from '../../core/stability.ts';

/* The dashboard's own API, below /api of the dashboard's address: JSON requests and replies,
   authenticated by a session cookie, for the account that is signed in. Not part of the public
   API. Every reply shows the limits in the same headers as those of the public API. Times are
   epoch ms; below /api/auth (the routes of sign-in/) they are ISO 8601. */

/** GET /api/session, 200 with or without a session. */
export interface SessionInfo {
  /** `null` for a visitor who is not signed in. */
  readonly account: AccountInfo | null;
  readonly addresses: Readonly<Record<ApiName | 'dashboard', string>>;
  /** The ids of the operations that the public API serves. */
  readonly operations: readonly string[];
  /**
   * Present if this session needs a second factor to change anything, and has not been proven with
   * one.
   */
  readonly needsSecondFactor?: true;
  /** The e-mail or web address for requests to change the plan. */
  readonly contact: string | null;
  /** The least stable level of the operations that are served. */
  readonly stability: Stability;
  /** Whether mail is sent; without it, only an operator can reset a forgotten password. */
  readonly sendsMail: boolean;
  /** The service's time. Pages compute the offset of the reader's clock from it. */
  readonly now: number;
}

export interface AccountInfo {
  readonly id: string;
  readonly email: string;
  readonly role: 'customer' | 'operator';
  readonly plan: Plan;
  readonly limits: { readonly perMinute: number; readonly perDay: number };
  readonly createdAt: number;
  /** Start and reason of the suspension; sessions of a suspended account are read-only. */
  readonly suspended: { readonly at: number; readonly reason: string } | null;
}

export type KeyStateInfo = 'active' | 'expiring' | 'expired' | 'revoked' | 'banned';

/**
 * GET /api/keys -> KeyPage; GET /api/keys?from=next -> the next page. Filters: `text` (part of the
 * name, or the last four characters), `environment` and `live` (true or false).
 */
export interface KeyPage {
  /** The newest first, at most 50. Keys are listed until 90 days after they ended. */
  readonly keys: readonly KeyInfo[];
  /** The cursor of the next page; `null` on the last one. */
  readonly next: string | null;
}

export interface KeyInfo {
  readonly id: string;
  readonly environment: Environment;
  readonly name: string;
  readonly prefix: string;
  readonly lastFour: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
  /** `expiring` within seven days. */
  readonly state: KeyStateInfo;
  readonly ban: { readonly until: number; readonly reason: string } | null;
  /** Whether it is live and has not been used for 90 days. */
  readonly isUnused: boolean;
  /** The key that it replaced by rotation, if that is listed. */
  readonly predecessor: KeyLink | null;
  /** The latest key that replaced it by rotation. */
  readonly successor: KeyLink | null;
  /** The simulation that its requests meet in staging, such as `unavailable;times=2`. */
  readonly simulate: string | null;
  /** Present on keys that a page created to try the API. */
  readonly isTemporary?: true;
}

/**
 * POST /api/temporary-keys -> 201 IssuedKeyInfo: a staging key for trying the API in a page, valid
 * for one hour. It counts like any key, and needs no recent sign-in.
 */

/**
 * POST /api/keys -> 201 IssuedKeyInfo. Requires a recent sign-in. 429 after 100 keys in one UTC
 * day, created or rotated, until the next day.
 */
export interface NewKey {
  /** 1 to 100 characters. */
  readonly name: string;
  readonly environment: Environment;
  /** Days until it expires, 1 to 3,650; without it the key does not expire. */
  readonly expiresInDays?: number;
  /** The simulation that its requests meet, such as `unavailable;times=2`; staging only. */
  readonly simulate?: string;
}

/** The only reply that contains the text of a key. DELETE /api/keys/{id} -> 204 revokes a key. */
export interface IssuedKeyInfo {
  readonly key: KeyInfo;
  readonly text: string;
}

/** Enough of a key to recognize it. */
export interface KeyLink {
  readonly id: string;
  readonly name: string;
  readonly lastFour: string;
}

/** POST /api/keys/{id}/rotate -> 201 IssuedKeyInfo. Requires a recent sign-in. */
export interface KeyRotation {
  readonly overlap: RotationOverlap;
}

/** PUT /api/keys/{id} -> 204. */
export interface KeyNaming {
  /** 1 to 100 characters. */
  readonly name: string;
}

/**
 * GET /api/start -> StepsInfo: the steps of the start page that an account has taken, in any
 * browser or program.
 */
export interface StepsInfo {
  /** An active key, the latest one that is not temporary. */
  readonly key: KeyLink | null;
  readonly hasRequested: boolean;
  readonly hasSentMessage: boolean;
}

/**
 * GET /api/messages -> MessagePage, the newest first. `text` selects those that contain it, without regard to upper and
 * lower case; `before` is the `next` of the page before. `id` selects one message instead. `format=csv` returns the latest
 * ones as CSV.
 */
export interface MessagePage {
  /** At most 100, and 256 KiB of text. */
  readonly messages: readonly MessageInfo[];
  /** Where earlier messages begin; `null` after the last page. A page of a search may be empty and have a next one. */
  readonly next: string | null;
}

export interface MessageInfo {
  readonly id: string;
  /** The key that it was sent with, if known and still listed. */
  readonly key: KeyLink | null;
  readonly environment: Environment;
  readonly text: string;
  readonly status: MessageStatus;
  readonly createdAt: number;
  readonly deliveredAt: number | null;
}

/** GET /api/operator/accounts?search=text -> { accounts: AccountInfo[] }, at most 50. */

/** PUT /api/operator/accounts/{id}/plan -> 200 AccountInfo. Requires a recent sign-in. */
export interface PlanChange {
  readonly plan: Plan;
  /** Required with `enterprise`, refused with other plans. */
  readonly perMinute?: number;
  readonly perDay?: number;
}

/**
 * GET /api/auth/list-sessions -> SessionEntry[], the latest first. POST /api/auth/revoke-session {
 * id } ends one; POST /api/auth/revoke-other-sessions ends all except the current one. Times are
 * ISO 8601.
 */
export interface SessionEntry {
  readonly id: string;
  readonly createdAt: string;
  /** Accurate to a day. */
  readonly lastActiveAt: string;
  readonly expiresAt: string;
  readonly ipAddress: string | null;
  readonly userAgent: string | null;
  /** Whether it is the session of this request. */
  readonly current: boolean;
}

/**
 * POST /api/auth/sign-up/email and /api/auth/sign-in/email { email, password } -> Entered. If a
 * mail server is configured, a sign-up takes only the address and mails a link; POST
 * /api/auth/verify-email { token, newPassword } then creates the account. verify-email and POST
 * /api/auth/reset-password { token, newPassword } take the token from the fragment of a mailed
 * link. POST /api/auth/link { token } -> LinkInfo. The token is never sent in a URL.
 *
 * If a second factor is required, it must complete the sign-in within ten minutes: POST
 * /api/auth/sign-in/code { code } with the 6 digits of an authenticator app,
 * /api/auth/sign-in/recovery-code { code }, or a passkey. A passkey can also sign in without a
 * password: POST /api/auth/sign-in/passkey-options gives the options for the browser (WebAuthn),
 * and /api/auth/sign-in/passkey { response } takes what it returned.
 */
export interface Entered {
  /**
   * `null` after a sign-up that a mailed link must complete, and while a second factor is required.
   */
  readonly user: { readonly id: string; readonly email: string } | null;
  /** The factors that can complete the sign-in, if a second factor is required. */
  readonly secondFactors?: readonly SecondFactor[];
}

/** A link that sets a password. */
export interface LinkInfo {
  /** The address of the account, which a sign-up is about to create; `null` for an unknown link. */
  readonly email: string | null;
}

/**
 * GET /api/auth/second-factors -> SecondFactorsInfo. All other requests about second factors
 * require a recent sign-in. POST /api/auth/second-factors/totp -> TotpInfo begins to set up an
 * authenticator app, which .../totp/confirm { code, setUpId } -> RecoveryCodes completes;
 * .../totp/remove removes it. POST .../passkey-options gives the options for the browser (WebAuthn), .../passkeys {
 * name, response } -> RecoveryCodes adds the passkey, .../passkeys/rename { id, name } and
 * .../passkeys/remove { id } change it. POST .../recovery-codes -> RecoveryCodes replaces all
 * recovery codes. Adding the first factor ends the account's other sessions. At most 20 passkeys.
 */
export interface SecondFactorsInfo {
  /** Whether an authenticator app is set up. */
  readonly hasTotp: boolean;
  readonly recoveryCodesLeft: number;
  readonly passkeys: ReadonlyArray<{
    readonly id: string;
    readonly name: string;
    /** ISO 8601. */
    readonly createdAt: string;
  }>;
}

export interface TotpInfo {
  /** For a QR code: `otpauth://totp/...`. */
  readonly uri: string;
  /** The same secret in base32, for typing. */
  readonly key: string;
  /** Send it with the code that confirms the app: a later set-up replaces this one. */
  readonly setUpId: string;
}

/**
 * New recovery codes, which are shown only once. `null` if the account's existing codes remain
 * valid.
 */
export interface RecoveryCodes {
  readonly recoveryCodes: readonly string[] | null;
}

/**
 * The body of every error reply below /api, including /api/auth. Same format as in the public API.
 */
export interface ErrorBody {
  readonly code: DashboardErrorCode;
  readonly message: string;
  readonly status: number;
}

export type DashboardErrorCode =
  /** 401: there is no session. */
  | 'signed_out'
  /** 403: the sign-in is not recent enough for this; sign in again, then repeat. */
  | 'sign_in_again'
  /**
   * 403: an operator's session must be proven with a second factor for this; set one up, or sign in again
   * with it.
   */
  | 'second_factor_required'
  /** 403: the account is suspended; the message says why. */
  | 'suspended'
  /** 403: for operators only, or sent by another site. */
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'invalid'
  /** 400: the password is common or easy to guess; the message says why. */
  | 'weak_password'
  /** 409: the state has changed meanwhile; for example, the key is already revoked. */
  | 'conflict'
  /**
   * 429: too many attempts to sign in, to confirm the password or to request mail; wait for
   * Retry-After.
   */
  | 'too_many_attempts'
  /** 429: too many requests of the session, the account or the address; wait for Retry-After. */
  | 'rate_limited'
  /** 403, 404 and 409: refusals of the public API, about animals and orders. */
  | 'not_owner'
  | 'pet_not_found'
  | 'pet_reserved'
  | 'invalid_transition'
  | 'pet_unavailable'
  | 'unavailable'
  | 'failed';
