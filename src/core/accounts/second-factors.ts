import type { Awaitable } from '../../lib/awaitable.ts';
import type { Actor, ClientDescription } from './audit.ts';

/** A proof in addition to the password: a code of an authenticator app, a passkey or a recovery code. */
export type SecondFactor = 'totp' | 'passkey' | 'recovery_code';

/** The second factors of an account. A recovery code can be used once in place of one of them. */
export interface SecondFactors {
  /** Whether there is an app or a passkey, so that signing in by password requires a second factor. */
  readonly hasAny: boolean;
  /** Whether codes of an authenticator app are accepted. */
  readonly hasTotp: boolean;
  readonly recoveryCodesLeft: number;
  /** Oldest first. */
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
  /** Where the request comes from; `undefined` for a command. */
  readonly client?: ClientDescription | undefined;
}

/** A new second factor, set up in a session; the session counts as proven with it from then on. */
export interface NewFactor extends FactorChange {
  readonly sessionId: string;
  /**
   * The new token of the session. The old one ends with the change, so that a copy of the cookie does not gain what the
   * second factor allows.
   */
  readonly sessionToken: string;
  /** Digests of recovery codes, for an account that has none. */
  readonly recoveryCodes: readonly string[];
}

/** Whether a second factor was added, and whether the given recovery codes were stored. */
export interface AddedFactor {
  readonly isAdded: boolean;
  readonly hasNewCodes: boolean;
}

/** The secret of a confirmed authenticator app, encrypted with a secret of this version (`SessionSecret`). */
export interface EncryptedApp {
  readonly accountId: string;
  readonly version: number;
  readonly encrypted: string;
}

/** The same secret of an app, encrypted anew. */
export interface MovedApp {
  readonly accountId: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Second factors. Adding one replaces the token of the session, and adding the first one ends the account's
 * other sessions; after the last one is removed no session counts as proven. Changes write an audit entry in the same transaction; an app is audited only
 * once it is confirmed. Every call may raise `StorageUnavailable`.
 */
export interface SecondFactorStore {
  of(accountId: string): Promise<SecondFactors>;
  /** Makes better-auth require a second factor if and only if the account has one. */
  prepareSignIn(accountId: string): Promise<void>;
  /** The encrypted secret of the authenticator app, confirmed or not. */
  totpSecret(accountId: string): Awaitable<string | undefined>;
  /**
   * Stores the secret of an authenticator app that is not confirmed yet.
   * @returns `false` when the account already has a confirmed one.
   */
  beginTotp(accountId: string, encryptedSecret: string): Promise<boolean>;
  /** Confirms the app with this secret, by a code for this time step. */
  confirmTotp(factor: NewFactor, encryptedSecret: string, step: number): Promise<AddedFactor>;
  /** Accepts the code for a time step. `false` when a code for this or a later step was already accepted. */
  acceptTotpStep(accountId: string, step: number): Promise<boolean>;
  /** `false` when there is none. */
  removeTotp(change: FactorChange): Promise<boolean>;
  /** Activates a passkey that better-auth has stored. */
  passkeyAdded(factor: NewFactor, passkeyId: string): Promise<AddedFactor>;
  /** `false` when the account has no passkey with this id. */
  renamePasskey(change: FactorChange, passkeyId: string, name: string): Promise<boolean>;
  /** `false` when the account has no passkey with this id. */
  removePasskey(change: FactorChange, passkeyId: string): Promise<boolean>;
  /** Replaces all recovery codes by those with these digests. `false` without a second factor. */
  renewRecoveryCodes(change: FactorChange, digests: readonly string[]): Promise<boolean>;
  /** Some of the apps that are encrypted with other secrets than that of this version, by account, after this account. */
  appsOfOtherSecrets(version: number, after: string, limit: number): Promise<EncryptedApp[]>;
  /** Stores newly encrypted secrets of apps; those that were replaced in the meantime stay as they are. */
  moveApps(apps: readonly MovedApp[]): Promise<void>;
  /** Removes every second factor and recovery code, and ends all sessions. `false` when there was none. */
  reset(change: FactorChange): Promise<boolean>;
}
