import type { Awaitable } from '../lib/awaitable.ts';
import type { Actor } from './audit.ts';

/** What proves a sign-in beside a password: a code of an authenticator app, a passkey or a recovery code. */
export type SecondFactor = 'totp' | 'passkey' | 'recovery_code';

/** The second factors of an account. A recovery code replaces one of them, once. */
export interface SecondFactors {
  /** Whether there is an app or a passkey: then signing in by password asks for a second factor. */
  readonly hasAny: boolean;
  /** Whether codes of an authenticator app are accepted. */
  readonly hasTotp: boolean;
  readonly recoveryCodesLeft: number;
  /** The oldest first. */
  readonly passkeys: readonly Passkey[];
}

export interface Passkey {
  readonly id: string;
  readonly name: string;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** Who changes the second factors of an account, and when (epoch ms). */
export interface FactorChange {
  readonly accountId: string;
  readonly now: number;
  readonly by: Actor;
}

/** A new second factor, set up in a session: from then on the session is proven with it. */
export interface NewFactor extends FactorChange {
  readonly sessionId: string;
  /** Digests of recovery codes, for an account that has none. */
  readonly recoveryCodes: readonly string[];
}

/** Whether a second factor was added, and whether the account has the recovery codes given. */
export interface AddedFactor {
  readonly isAdded: boolean;
  readonly hasNewCodes: boolean;
}

/**
 * Second factors. Adding the first one ends the account's other sessions; after the last one is removed no
 * session counts as proven. Changes write an audit entry in the same transaction, except that an app is
 * not recorded before it is confirmed. Every call may raise `StorageUnavailable`.
 */
export interface SecondFactorStore {
  of(accountId: string): Promise<SecondFactors>;
  /** Makes better-auth ask for a second factor if the account has one, and only then. */
  prepareSignIn(accountId: string): Promise<void>;
  /** The encrypted secret of the authenticator app, confirmed or not. */
  totpSecret(accountId: string): Awaitable<string | undefined>;
  /**
   * Stores the secret of an authenticator app that is yet to be confirmed.
   * @returns `false` when the account has a confirmed one.
   */
  beginTotp(accountId: string, encryptedSecret: string): Promise<boolean>;
  /** Confirms the app with this secret by the code of a time step. */
  confirmTotp(factor: NewFactor, encryptedSecret: string, step: number): Promise<AddedFactor>;
  /** Accepts the code of a time step. `false` when a code of it or of a later step was accepted before. */
  acceptTotpStep(accountId: string, step: number): Promise<boolean>;
  /** `false` when there is none. */
  removeTotp(change: FactorChange): Promise<boolean>;
  /** Puts a passkey that better-auth has stored into force. */
  passkeyAdded(factor: NewFactor, passkeyId: string): Promise<AddedFactor>;
  /** `false` when the account has no passkey of this id. */
  renamePasskey(change: FactorChange, passkeyId: string, name: string): Promise<boolean>;
  /** `false` when the account has no passkey of this id. */
  removePasskey(change: FactorChange, passkeyId: string): Promise<boolean>;
  /** Replaces all recovery codes by those with these digests. `false` without a second factor. */
  renewRecoveryCodes(change: FactorChange, digests: readonly string[]): Promise<boolean>;
  /** Removes every second factor and recovery code, and ends all sessions. `false` when there was none. */
  reset(change: FactorChange): Promise<boolean>;
}
