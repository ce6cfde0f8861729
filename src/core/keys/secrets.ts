/**
 * Name of the setting with the fingerprints of the secrets that the store has had, oldest first, separated by commas.
 * The last one is the secret that stored data moves to.
 */
export const FINGERPRINTS = 'secret_fingerprint';

/** Minimum length of a secret, in characters. */
export const SHORTEST_SECRET = 32;

/** Maximum number of secrets that are accepted beside the current one: an unknown key is tried with each of them. */
export const MOST_PREVIOUS_SECRETS = 5;

/** Digits of a secret's id: 48 bits, which fit into a JavaScript number. */
const ID_LENGTH = 12;

/** The secrets of a process. Whatever any of them made is accepted, and new things are made with the current one. */
export interface Secrets {
  readonly current: Buffer;
  /** Without the current one and without duplicates. One that other processes use already, or will, may be among them. */
  readonly previous: readonly Buffer[];
}

/** A key for cookies and encryption, derived from a secret. */
export interface SessionSecret {
  /** Stored with what it encrypts: 1 for the first secret of the store, otherwise the id of the secret as a number. */
  readonly version: number;
  readonly value: string;
}

/** The keys for cookies and encryption. */
export interface SessionSecrets {
  readonly current: SessionSecret;
  readonly previous: readonly SessionSecret[];
  /**
   * Whether the store has had no later secret. Only then a process moves data to its current secret; otherwise two
   * processes would move it back and forth during a rolling change. May raise `StorageUnavailable`.
   */
  isLatest(): Promise<boolean>;
}

/** How much of the stored data a secret is needed for. */
export interface SecretUse {
  readonly id: string;
  /** `unknown` if this process does not have the secret; its keys are refused. */
  readonly role: 'current' | 'previous' | 'unknown';
  /** API keys that are neither expired nor revoked. */
  readonly keys: number;
  /** Authenticator apps. */
  readonly secondFactors: number;
}

/** @param others may contain duplicates, and the current one. */
export function secretsOf(current: Buffer, others: readonly Buffer[]): Secrets {
  return { current, previous: distinct(others).filter((each) => !each.equals(current)) };
}

/** The secrets in the same order, each once. */
export function distinct(secrets: readonly Buffer[]): Buffer[] {
  return secrets.filter(
    (secret, index) => secrets.findIndex((each) => each.equals(secret)) === index,
  );
}

/** HMAC-SHA-256 of a text with the secret, in hexadecimal digits. */
export function sign(secret: Buffer, text: string): string {
  return new Bun.CryptoHasher('sha256', secret).update(text).digest('hex');
}

/** Identifies a secret without revealing it. */
export function fingerprintOf(secret: Buffer): string {
  return sign(secret, 'petstore secret fingerprint');
}

/** The id of a secret in stored data: the first digits of its fingerprint. */
export function secretIdOf(fingerprint: string): string {
  return fingerprint.slice(0, ID_LENGTH);
}

/** The key for cookies and encryption that a secret stands for. @param firstId the id of the store's first secret. */
export function sessionSecretOf(secret: Buffer, firstId: string): SessionSecret {
  const id = secretIdOf(fingerprintOf(secret));
  return { version: versionOf(id, firstId), value: sign(secret, 'petstore dashboard sessions') };
}

/** See `SessionSecret.version`. */
export function versionOf(id: string, firstId: string): number {
  return id === firstId ? 1 : Number.parseInt(id, 16);
}

/** Whether the secret with this fingerprint is the last one that the store has had. */
export function isLatestSecret(fingerprint: string, stored: string): boolean {
  return stored.split(',').at(-1) === fingerprint;
}

/** Whether the last secret that the store has had is one of these. */
export function knowsLatestSecret({ current, previous }: Secrets, stored: string): boolean {
  return [current, ...previous].some((secret) => isLatestSecret(fingerprintOf(secret), stored));
}

/** The beginning of what better-auth has encrypted with the secret of this version. */
export function encryptedWith(version: number): string {
  return `$ba$${version}$`;
}

/** The version of the secret that better-auth has encrypted this with. */
export function versionIn(encrypted: string): number {
  return Number(/^\$ba\$(\d+)\$/.exec(encrypted)?.[1]);
}
