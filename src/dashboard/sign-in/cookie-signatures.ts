import type { SessionSecrets } from '../../core/keys/secrets.ts';
import type { AuthContext } from './auth.ts';
import { CHALLENGE_COOKIE } from './challenge-endpoint.ts';
import { PASSKEY_COOKIE } from './factor-plugins.ts';

/** A cookie of a request, as `Cookie` has it. */
const PAIR = /^\s*([^=\s]+)\s*=(.*)$/;

/** A value that better-auth has signed: the value, a dot, and a base64 HMAC-SHA-256. */
const SIGNED = /^(.+)\.([A-Za-z0-9+/]{43}=)$/;

/**
 * better-auth verifies cookies with the current secret alone. Signatures with previous secrets are replaced before it
 * sees a request.
 */
export class CookieSignatures {
  readonly #secrets: SessionSecrets;
  readonly #names: ReadonlySet<string>;

  constructor(
    { authCookies, createAuthCookie }: Pick<AuthContext, 'authCookies' | 'createAuthCookie'>,
    secrets: SessionSecrets,
  ) {
    this.#secrets = secrets;
    this.#names = new Set([
      authCookies.sessionToken.name,
      authCookies.dontRememberToken.name,
      createAuthCookie(CHALLENGE_COOKIE).name,
      createAuthCookie(PASSKEY_COOKIE).name,
    ]);
  }

  /** The `Cookie` header with every signature of a previous secret replaced. */
  translate(sent: string): string {
    if (this.#secrets.previous.length === 0) return sent;
    const waiting = new Set(this.#names);
    return sent
      .split(';')
      .map((pair) => {
        const [, name = '', value = ''] = PAIR.exec(pair) ?? [];
        // better-auth takes the first cookie of each name, so no others are checked.
        const renewed = waiting.delete(name) ? this.#renew(value) : undefined;
        return renewed === undefined ? pair : `${name}=${renewed}`;
      })
      .join(';');
  }

  /** Whether a cookie in this `Cookie` header has the signature of a previous secret. */
  arePrevious(sent: string): boolean {
    return this.translate(sent) !== sent;
  }

  #renew(encoded: string): string | undefined {
    const [, value, signature] = SIGNED.exec(decoded(encoded.trim())) ?? [];
    if (value === undefined || signature === undefined) return undefined;
    const { current, previous } = this.#secrets;
    const given = Buffer.from(signature);
    const isOf = (secret: string) =>
      crypto.timingSafeEqual(Buffer.from(signatureOf(value, secret)), given);
    if (isOf(current.value) || !previous.some((secret) => isOf(secret.value))) return undefined;
    return encodeURIComponent(`${value}.${signatureOf(value, current.value)}`);
  }
}

function signatureOf(value: string, secret: string): string {
  return new Bun.CryptoHasher('sha256', secret).update(value).digest('base64');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
