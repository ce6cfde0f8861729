import type { IssuedKeyInfo } from '../../shared/api.ts';
import { callDashboard, signedInAccount } from './dashboard-calls.ts';
import type { FormTarget } from './form.ts';
import {
  removeTemporaryKey,
  storeTemporaryKey,
  type TemporaryKey,
  temporaryKeyOfTab,
} from './stored-key.ts';

/** The field for the API key that requests are sent with. A pasted key is stored nowhere else. */
export class KeyField {
  readonly #input: HTMLInputElement;
  readonly #hint: Element;
  readonly #onChange: (key: string) => void;
  #temporary: TemporaryKey | undefined;
  #accountId: string | undefined;
  readonly #sessionLookUp: Promise<void>;

  /** @param onChange is called with each key, and with an empty text when there is none. */
  constructor(input: HTMLInputElement, hint: Element, onChange: (key: string) => void) {
    this.#input = input;
    this.#hint = hint;
    this.#onChange = onChange;
    input.addEventListener('input', () => this.#use(input.value.trim()));
    const temporary = temporaryKeyOfTab();
    this.#use(temporary?.text ?? '', temporary);
    this.#sessionLookUp = this.#lookForSession();
  }

  /** The environment in the key's prefix. */
  get environment(): 'production' | 'staging' | undefined {
    if (this.#text.startsWith('pst_live_')) return 'production';
    return this.#text.startsWith('pst_staging_') ? 'staging' : undefined;
  }

  /**
   * The key for a request. If the reader is signed in and has not pasted a key, a temporary staging
   * key.
   * @param environment of the key; `undefined` if keys of both are accepted.
   * @returns `undefined` if there is no key; the field then shows what to do.
   */
  async obtain(environment: FormTarget['environment']): Promise<string | undefined> {
    if (this.#text !== '' && !this.#temporary) return this.#text;
    // Its result changes the hint, which must not replace the one of this request.
    await this.#sessionLookUp;
    if (environment === 'production') return this.#ask('Paste a key of production first.');
    if (this.#temporary && Date.now() < this.#temporary.endsAt) return this.#text;
    const accountId = this.#accountId;
    if (accountId === undefined) return this.#ask('Paste an API key first.');
    const issued = await callDashboard<IssuedKeyInfo>('POST', '/temporary-keys');
    if ('message' in issued) return this.#ask(issued.message);
    const { text, key } = issued;
    const endsAt = key.expiresAt;
    this.#use(text, endsAt === null ? undefined : { text, endsAt, accountId });
    return text;
  }

  /** Drops a temporary key that was refused; the next request uses a new one. */
  refused(): void {
    if (!this.#temporary) return;
    this.#use('');
    this.#hint.textContent = 'The temporary key has ended. Send again to make another one.';
  }

  /** Drops a pasted key. @returns whether there was one. */
  forgetPasted(): boolean {
    if (this.#text === '' || this.#temporary) return false;
    this.#use('');
    return true;
  }

  /** Shows that the text is not a valid key. */
  refuse(): void {
    this.#ask(
      'A key has only letters, digits and underscores. With “…” it is a key as lists show it.',
    );
  }

  get #text(): string {
    return this.#input.value.trim();
  }

  #ask(words: string): undefined {
    this.#hint.textContent = words;
    this.#input.focus();
  }

  async #lookForSession(): Promise<void> {
    this.#accountId = await signedInAccount();
    // A temporary key belongs to the account that it was made for.
    if (this.#temporary && this.#temporary.accountId !== this.#accountId) this.#use('');
    this.#showHint();
  }

  /** @param temporary the key, if it is a temporary one; only such a key is stored for the tab. */
  #use(text: string, temporary?: TemporaryKey): void {
    if (temporary) storeTemporaryKey(temporary);
    else removeTemporaryKey();
    if (this.#text !== text) this.#input.value = text;
    this.#temporary = temporary;
    this.#showHint();
    this.#onChange(text);
  }

  #showHint(): void {
    this.#hint.textContent = this.#words();
  }

  #words(): string {
    if (this.#temporary) {
      const time = new Date(this.#temporary.endsAt).toLocaleTimeString('en-GB', {
        timeStyle: 'short',
      });
      return `A temporary key of staging, which ends at ${time}. It is on the page Keys until then.`;
    }
    if (this.#text !== '') return 'This key stays in this page, and is gone when you leave it.';
    return this.#accountId !== undefined
      ? 'Without a key, Send makes a temporary one of staging for you, which ends after an hour.'
      : 'Paste a key. It stays in this page, and is gone when you leave it.';
  }
}
