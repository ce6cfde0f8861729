import { isEmailAddress } from '../../core/accounts.ts';
import { readJsonObject } from '../json-body.ts';
import { invalid } from '../refused.ts';

const LONGEST_FIELD = 1_000;

/** The fields of a request's body, and nothing else that came with them. */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;

  private constructor(values: object) {
    this.#values = { ...values };
  }

  /** @throws Refused when the body is not a JSON object. */
  static async read(request: Request): Promise<Fields> {
    return new Fields(Object.fromEntries(await readJsonObject(request)));
  }

  /** @throws Refused when it is missing or no text. */
  text(name: string): string {
    const value = this.#values[name];
    if (typeof value === 'string' && value !== '' && value.length <= LONGEST_FIELD) return value;
    throw invalid(`Give ${name}, as text.`);
  }

  /** @throws Refused when it is no e-mail address. */
  email(): string {
    const email = this.text('email').trim();
    if (isEmailAddress(email)) return email;
    throw invalid('Give an e-mail address such as you@example.com.');
  }
}
