import { emailProblem } from '../core/accounts/email-address.ts';
import { messageOf, SetupError } from '../core/errors.ts';
import { MOST_PREVIOUS_SECRETS, SHORTEST_SECRET } from '../core/keys/secrets.ts';
import { type AddressRange, parseAddressRange } from '../lib/ip-address.ts';
import { SETTINGS } from './settings.ts';

type Name = keyof typeof SETTINGS;

/** Reads settings one by one and collects their problems, so that all are reported together. */
export class SettingReader {
  readonly #values: Readonly<Record<string, string | undefined>>;
  readonly #problems: string[] = [];

  /** @param values the environment variables; an empty value is the same as none. */
  constructor(values: Readonly<Record<string, string | undefined>>) {
    this.#values = values;
  }

  problem(text: string): void {
    this.#problems.push(text);
  }

  /** @throws SetupError with all problems, one per line, if there are any. */
  finish(): void {
    if (this.#problems.length > 0) throw new SetupError(this.#problems.join('\n'));
  }

  text(name: Name): string {
    return this.#given(name) ?? SETTINGS[name].default;
  }

  count(name: Name, minimum: number, maximum: number): number {
    const text = this.text(name);
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    this.problem(`${name} must be a whole number from ${minimum} to ${maximum}, not "${text}".`);
    return minimum;
  }

  oneOf<T extends string>(name: Name, allowed: readonly T[], fallback: T): T {
    const text = this.text(name);
    const value = allowed.find((each) => each === text);
    if (value === undefined) {
      this.problem(`${name} must be one of ${allowed.join(', ')}, not "${text}".`);
    }
    return value ?? fallback;
  }

  /** Whether the value is `required`; the alternative is `optional`. */
  isRequired(name: Name): boolean {
    return this.oneOf(name, ['required', 'optional'], 'required') === 'required';
  }

  /** Surrounding white space is removed. The message does not repeat the value. */
  secret(name: Name): string | undefined {
    const secret = this.#given(name)?.trim();
    if (secret !== undefined) this.#requireLength(name, secret);
    return secret;
  }

  /**
   * A list of secrets separated by commas; in a secret a comma is written as `\,`. Each is returned once, and the
   * current one is left out, so that the same list can be set before and after a swap.
   */
  otherSecrets(name: Name, current: string | undefined): Buffer[] {
    const entries = (this.#given(name) ?? '').split(/(?<!\\),/);
    const secrets = entries.map((each) => each.replaceAll('\\,', ',').trim()).filter(Boolean);
    for (const [index, secret] of secrets.entries()) {
      this.#requireLength(`${name}: secret ${index + 1}`, secret);
    }
    const others = [...new Set(secrets)].filter((each) => each !== current);
    if (others.length > MOST_PREVIOUS_SECRETS) {
      this.problem(`${name} must name at most ${MOST_PREVIOUS_SECRETS} secrets.`);
    }
    return others.map((each) => Buffer.from(each));
  }

  #requireLength(what: string, { length }: string): void {
    if (length >= SHORTEST_SECRET) return;
    this.problem(`${what} must have at least ${SHORTEST_SECRET} characters.`);
  }

  /** A trailing slash is removed. The message does not repeat the value: it may hold a password. */
  baseUrl(name: Name, ending: string): string | undefined {
    const text = this.#given(name);
    if (text === undefined) return undefined;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const path = url?.pathname.replace(/\/$/, '');
    const plain = url && !url.search && !url.hash && !url.username && !url.password;
    if (plain && /^https?:$/.test(url.protocol) && path?.endsWith(ending)) return url.origin + path;
    this.problem(
      `${name} must be an http or https address${ending && ` that ends in ${ending}`}, such as https://api.example.com${ending}.`,
    );
    return undefined;
  }

  isGiven(name: Name): boolean {
    return this.#given(name) !== undefined;
  }

  optional(name: Name): string | undefined {
    return this.#given(name)?.trim();
  }

  /** The message does not repeat the value: it may hold a password. */
  smtpUrl(name: Name): string | undefined {
    const text = this.#given(name);
    const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
    if (text === undefined || (url && /^smtps?:$/.test(url.protocol) && url.hostname)) return text;
    this.problem(`${name} must be an address such as smtps://user:password@mail.example.com.`);
    return undefined;
  }

  /** An e-mail address, alone or in angle brackets after a name. */
  sender(name: Name): string | undefined {
    const text = this.optional(name);
    if (text === undefined || /^(?:[^<>@]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(text))
      return text;
    this.problem(`${name} must be an e-mail address, or a name and <address>, not "${text}".`);
    return undefined;
  }

  /** @param parse throws an error whose message is the problem, without the value: it may hold a password. */
  parsed<T>(name: Name, parse: (text: string) => T): T | undefined {
    const text = this.optional(name);
    try {
      return text === undefined ? undefined : parse(text);
    } catch (error) {
      this.problem(`${name} ${messageOf(error)}`);
      return undefined;
    }
  }

  /** An e-mail address or a web address. */
  contact(name: Name): string | undefined {
    const text = this.optional(name);
    if (text === undefined || emailProblem(text) === undefined) return text;
    // Mail systems of a company may have addresses that accounts cannot have.
    if (/^[^\s@:/]+@[^\s@]+$/.test(text)) return text;
    if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
    this.problem(`${name} must be an e-mail or web address, not "${text}".`);
    return undefined;
  }

  addresses(name: Name): readonly AddressRange[] {
    return (this.#given(name) ?? '').split(',').flatMap((entry) => {
      const text = entry.trim();
      const range = parseAddressRange(text);
      if (text !== '' && !range) {
        this.problem(`${name} must hold addresses or CIDR ranges, not "${text}".`);
      }
      return range ?? [];
    });
  }

  #given(name: Name): string | undefined {
    return this.#values[name] === '' ? undefined : this.#values[name];
  }
}
