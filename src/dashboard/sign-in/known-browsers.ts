import { randomBytes } from 'node:crypto';
import { type Clock, DAY, SECOND } from '../../lib/clock.ts';

/** How long a browser stays known after its latest sign-in, in days. */
const DAYS_KNOWN = 180;

/** Accounts that one browser is known for; past it the one that signed in first is dropped. */
const MOST_ACCOUNTS = 5;

const ENTRY = /^([\w-]{16})\.(\d{1,6})\.([\w-]{43})$/;

interface Entry {
  readonly browser: string;
  /** The day of the latest sign-in, in days since the Unix epoch. */
  readonly day: string;
  readonly signature: string;
}

/**
 * Remembers in a signed cookie which accounts were signed in to from a browser, so that their passwords
 * can be tried from there whatever strangers try elsewhere. The cookie proves nothing else. It names no
 * account: each entry is signed for the id of one account, fits no other, and ends with it.
 */
export class KnownBrowsers {
  readonly #hmac: Bun.CryptoHasher;
  readonly #cookie: { readonly name: string } & Bun.CookieInit;
  readonly #clock: Clock;

  /** @param cookie the name of the cookie and its attributes, without a lifetime. */
  constructor(
    secret: string,
    cookie: { readonly name: string; readonly secure: boolean },
    clock: Clock,
  ) {
    // A key of its own: nothing that is signed elsewhere with the secret is an entry.
    const key = new Bun.CryptoHasher('sha256', secret).update('known browsers').digest();
    this.#hmac = new Bun.CryptoHasher('sha256', key);
    this.#cookie = { ...cookie, httpOnly: true, sameSite: 'lax', path: '/' };
    this.#clock = clock;
  }

  /** The id of the browser that sent these headers, if this account was signed in to from it. */
  find(sent: Headers, accountId: string): string | undefined {
    return this.#entries(sent).find((entry) => this.#isOf(entry, accountId))?.browser;
  }

  /** The value of a `Set-Cookie` header that makes the browser known for this account, too. */
  remember(sent: Headers, accountId: string): string {
    const entries = this.#entries(sent);
    const browser = this.find(sent, accountId) ?? randomBytes(12).toString('base64url');
    const day = String(this.#today());
    const entry = { browser, day, signature: this.#sign(browser, day, accountId) };
    const others = entries.filter((each) => !this.#isOf(each, accountId));
    const kept = [entry, ...others].slice(0, MOST_ACCOUNTS);
    const value = kept.map((each) => `${each.browser}.${each.day}.${each.signature}`).join('~');
    const { name, ...attributes } = this.#cookie;
    const maxAge = (DAYS_KNOWN * DAY) / SECOND;
    return new Bun.Cookie(name, value, { ...attributes, maxAge }).toString();
  }

  #entries(sent: Headers): Entry[] {
    const value = new Bun.CookieMap(sent.get('cookie') ?? '').get(this.#cookie.name) ?? '';
    return value.split('~', MOST_ACCOUNTS).flatMap((text) => {
      const [, browser, day, signature] = ENTRY.exec(text) ?? [];
      return browser && day && signature ? { browser, day, signature } : [];
    });
  }

  #isOf({ browser, day, signature }: Entry, accountId: string): boolean {
    if (this.#today() - Number(day) > DAYS_KNOWN) return false;
    const expected = Buffer.from(this.#sign(browser, day, accountId));
    return crypto.timingSafeEqual(expected, Buffer.from(signature));
  }

  #sign(browser: string, day: string, accountId: string): string {
    const text = `${browser}.${day}.${accountId}`;
    return this.#hmac.copy().update(text).digest('base64url');
  }

  #today(): number {
    return Math.floor(this.#clock.now().wall / DAY);
  }
}
