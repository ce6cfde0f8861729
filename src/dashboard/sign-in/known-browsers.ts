import { randomBytes } from 'node:crypto';
import type { SessionSecrets } from '../../core/keys/secrets.ts';
import { type Clock, DAY, SECOND } from '../../lib/clock.ts';

/** How long a browser stays known after its latest sign-in, in days. */
const DAYS_KNOWN = 180;

/** Maximum number of accounts that one browser is known for; beyond it, the oldest is dropped. */
const MOST_ACCOUNTS = 5;

const ENTRY = /^([\w-]{16})\.(\d{1,6})\.([\w-]{43})$/;

interface Entry {
  readonly browser: string;
  /** The day of the latest sign-in, in days since the Unix epoch. */
  readonly day: string;
  readonly signature: string;
}

/** The hash of the password of an account, if it has one. */
type PasswordHashes = (accountId: string) => Promise<string | null | undefined>;

/**
 * Remembers in a signed cookie the accounts that a browser has signed in to, so that an attack from
 * elsewhere does not block sign-ins from this browser. The cookie has no other effect and names no
 * account. Each entry is signed for one account and its current password, so that a new password
 * invalidates all copies of the cookie.
 */
export class KnownBrowsers {
  /** Of the current secret, then of the previous ones. */
  readonly #hmacs: readonly Bun.CryptoHasher[];
  readonly #cookie: { readonly name: string } & Bun.CookieInit;
  readonly #clock: Clock;
  readonly #passwordOf: PasswordHashes;

  /** @param cookie the name of the cookie and its attributes, without a lifetime. */
  constructor(
    { current, previous }: Pick<SessionSecrets, 'current' | 'previous'>,
    cookie: { readonly name: string; readonly secure: boolean },
    clock: Clock,
    passwordOf: PasswordHashes,
  ) {
    this.#hmacs = [current, ...previous].map(({ value }) => hmacWith(value));
    this.#cookie = { ...cookie, httpOnly: true, sameSite: 'lax', path: '/' };
    this.#clock = clock;
    this.#passwordOf = passwordOf;
  }

  /** The id of the browser that sent these headers, if it is known for this account. */
  async find(sent: Headers, accountId: string): Promise<string | undefined> {
    const entries = this.#entries(sent);
    if (entries.length === 0) return undefined;
    const holder = await this.#holder(accountId);
    return entries.find((entry) => this.#isOf(entry, holder))?.browser;
  }

  /** The value of a `Set-Cookie` header that adds this account to the browser's known accounts. */
  async remember(sent: Headers, accountId: string): Promise<string> {
    const entries = this.#entries(sent);
    const holder = await this.#holder(accountId);
    const known = entries.find((entry) => this.#isOf(entry, holder));
    const browser = known?.browser ?? randomBytes(12).toString('base64url');
    const day = String(this.#today());
    const [signature = ''] = this.#sign(browser, day, holder);
    const entry = { browser, day, signature };
    const others = entries.filter((each) => each !== known);
    const kept = [entry, ...others].slice(0, MOST_ACCOUNTS);
    const value = kept.map((each) => `${each.browser}.${each.day}.${each.signature}`).join('~');
    const { name, ...attributes } = this.#cookie;
    const maxAge = (DAYS_KNOWN * DAY) / SECOND;
    return new Bun.Cookie(name, value, { ...attributes, maxAge }).toString();
  }

  /** The account and password that an entry is signed for. */
  async #holder(accountId: string): Promise<string> {
    return `${accountId}.${await this.#passwordOf(accountId)}`;
  }

  #entries(sent: Headers): Entry[] {
    const value = new Bun.CookieMap(sent.get('cookie') ?? '').get(this.#cookie.name) ?? '';
    return value.split('~', MOST_ACCOUNTS).flatMap((text) => {
      const [, browser, day, signature] = ENTRY.exec(text) ?? [];
      return browser && day && signature ? { browser, day, signature } : [];
    });
  }

  #isOf({ browser, day, signature }: Entry, holder: string): boolean {
    if (this.#today() - Number(day) > DAYS_KNOWN) return false;
    const given = Buffer.from(signature);
    return this.#sign(browser, day, holder).some((expected) =>
      crypto.timingSafeEqual(Buffer.from(expected), given),
    );
  }

  /** The signatures with the current secret and with the previous ones. */
  #sign(browser: string, day: string, holder: string): string[] {
    const text = `${browser}.${day}.${holder}`;
    return this.#hmacs.map((hmac) => hmac.copy().update(text).digest('base64url'));
  }

  #today(): number {
    return Math.floor(this.#clock.now().wall / DAY);
  }
}

/** An HMAC with a separate key, so that nothing else that is signed with the secret is valid as an entry. */
function hmacWith(secret: string): Bun.CryptoHasher {
  const key = new Bun.CryptoHasher('sha256', secret).update('known browsers').digest();
  return new Bun.CryptoHasher('sha256', key);
}
