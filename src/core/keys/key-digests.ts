import { fingerprintOf, type Secrets, secretIdOf } from './secrets.ts';

/** Digests of the texts of API keys: HMAC-SHA-256 with a secret, each byte as one character (latin1). */
export class KeyDigests {
  /** The fingerprint and the id of the current secret. */
  readonly fingerprint: string;
  readonly secretId: string;
  /** An HMAC with the secret; copying it for each key takes half the time of creating a new one. */
  readonly #current: Bun.CryptoHasher;
  readonly #previous: readonly Bun.CryptoHasher[];

  constructor({ current, previous }: Secrets) {
    this.fingerprint = fingerprintOf(current);
    this.secretId = secretIdOf(this.fingerprint);
    this.#current = new Bun.CryptoHasher('sha256', current);
    this.#previous = previous.map((secret) => new Bun.CryptoHasher('sha256', secret));
  }

  /** The digest with the current secret. Caches need a string, and creating a Buffer takes longer. */
  of(text: string): string {
    return this.#current.copy().update(text).digest('latin1');
  }

  /** The digests with the previous secrets. */
  withPrevious(text: string): string[] {
    return this.#previous.map((hmac) => hmac.copy().update(text).digest('latin1'));
  }
}
