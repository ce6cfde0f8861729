import { environmentOfShape } from '../../../core/keys/api-key-text.ts';
import type { IssuedKeyInfo } from '../../shared/api.ts';
import { callDashboard, findSession, forgetSession } from './dashboard-calls.ts';
import type { FormTarget } from './form.ts';
import {
  followTemporaryKey,
  removeTemporaryKey,
  storeTemporaryKey,
  type TemporaryKey,
  temporaryKeyOf,
} from './temporary-key.ts';

type Environment = FormTarget['environment'];

/** What the field has for the keys of one environment. */
interface FieldState {
  /** What the reader has typed or pasted; `undefined` if nothing, so that a temporary key is shown. */
  typed?: string | undefined;
  /** What the reader has to do before the request can be sent. */
  problem?: string | undefined;
}

/**
 * The field for the API key that requests are sent with. It has a state for each environment, so
 * that a key is shown and sent only in its own. A pasted key is stored nowhere else.
 */
export class KeyField {
  readonly #input: HTMLInputElement;
  readonly #hint: Element;
  readonly #onChange: () => void;
  readonly #states = new Map<Environment, FieldState>();
  #target: FormTarget;
  #temporary: TemporaryKey | undefined;
  #accountId: string | undefined;
  #sessionLookUp: Promise<void>;
  #end: ReturnType<typeof setTimeout> | undefined;

  /** @param onChange is called with each change of the key that the page has not caused itself. */
  constructor(input: HTMLInputElement, hint: Element, target: FormTarget, onChange: () => void) {
    this.#input = input;
    this.#hint = hint;
    this.#target = target;
    this.#onChange = onChange;
    input.addEventListener('input', () => this.#type(input.value));
    followTemporaryKey(() => this.#findTemporary());
    this.#sessionLookUp = this.#lookForSession();
    this.#show();
  }

  /** The text in the field. */
  get text(): string {
    return this.#state.typed?.trim() ?? this.#usableTemporary?.text ?? '';
  }

  /** Shows the state of a target's environment. A key of another environment stays there alone. */
  choose(target: FormTarget): void {
    if (target.baseUrl === this.#target.baseUrl) return;
    if (this.#foreign !== undefined) this.#state.typed = undefined;
    this.#state.problem = undefined;
    this.#target = target;
    this.#show();
  }

  /**
   * The key for a request to the chosen target. If the reader is signed in and has not pasted a key,
   * a temporary staging key.
   * @returns `undefined` if there is no key; the field then shows what to do.
   */
  async obtain(): Promise<string | undefined> {
    const { environment } = this.#target;
    const state = this.#state;
    if (this.#foreign !== undefined) return this.#ask(state, this.#foreignWords(this.#foreign));
    if (state.typed?.trim()) return state.typed.trim();
    // Its result changes the hint, which must not replace the one of this request.
    await this.#sessionLookUp;
    if (environment === 'production') return this.#ask(state, 'Paste a production key first.');
    const accountId = this.#accountId;
    if (accountId === undefined) return this.#ask(state, 'Paste an API key first.');
    const key =
      this.#temporary ?? temporaryKeyOf(accountId) ?? (await issueTemporaryKey(accountId));
    if ('message' in key) return this.#ask(state, key.message);
    storeTemporaryKey(key);
    state.typed = undefined;
    state.problem = undefined;
    this.#adopt(key);
    return key.text;
  }

  /** Drops a temporary key that was refused; the next request uses a new one. */
  refused(text: string): void {
    if (this.#temporary?.text !== text) return;
    removeTemporaryKey();
    this.#adopt(undefined);
    this.#state.problem = 'The temporary key has ended. Send again to make another one.';
    this.#show();
  }

  /** Shows that the text is not a valid key. */
  refuse(): void {
    this.#ask(
      this.#state,
      'A key has only letters, digits and underscores. With “…” it is a key as lists show it.',
    );
  }

  /** Forgets all keys before the page is left: it may be shown again as it was, to somebody else. */
  leave(): void {
    this.#states.clear();
    this.#adopt(undefined);
    forgetSession();
  }

  /** Shows a page again that was left. */
  comeBack(): void {
    this.#sessionLookUp = this.#lookForSession();
  }

  get #state(): FieldState {
    const { environment } = this.#target;
    const state = this.#states.get(environment) ?? {};
    this.#states.set(environment, state);
    return state;
  }

  /** The temporary key, where staging keys are accepted. */
  get #usableTemporary(): TemporaryKey | undefined {
    return this.#target.environment === 'production' ? undefined : this.#temporary;
  }

  /** The environment of the typed key if it is not that of the target. */
  get #foreign(): Environment {
    const { environment } = this.#target;
    const ofKey = environmentOfShape(this.#state.typed?.trim() ?? '');
    return environment === undefined || ofKey === environment ? undefined : ofKey;
  }

  #type(text: string): void {
    this.#state.typed = text;
    this.#state.problem = undefined;
    // The key is there already when the reader chooses its environment.
    if (this.#foreign !== undefined) this.#states.set(this.#foreign, { typed: text });
    this.#showHint();
  }

  #ask(state: FieldState, words: string): undefined {
    state.problem = words;
    this.#showHint();
    this.#input.focus();
  }

  async #lookForSession(): Promise<void> {
    const session = await findSession();
    // Without an answer, a stored key may still be the reader's.
    if (session === undefined) return;
    this.#accountId = session.account?.id;
    this.#findTemporary();
  }

  #findTemporary(): void {
    this.#adopt(temporaryKeyOf(this.#accountId));
  }

  #adopt(key: TemporaryKey | undefined): void {
    clearTimeout(this.#end);
    if (key) this.#end = setTimeout(() => this.#findTemporary(), key.endsAt - Date.now());
    this.#temporary = key;
    this.#show();
    this.#onChange();
  }

  #show(): void {
    if (this.#input.value.trim() !== this.text) this.#input.value = this.text;
    this.#showHint();
  }

  #showHint(): void {
    const words = this.#state.problem ?? this.#words();
    if (this.#hint.textContent !== words) this.#hint.textContent = words;
  }

  #words(): string {
    if (this.#foreign !== undefined) return this.#foreignWords(this.#foreign);
    if (this.#state.typed) return 'This key stays in this page, and is gone when you leave it.';
    const temporary = this.#usableTemporary;
    if (temporary && this.#state.typed === undefined) return temporaryWords(temporary);
    return this.#accountId !== undefined && this.#target.environment !== 'production'
      ? 'Without a key, Send makes a temporary staging key for you, which ends after an hour.'
      : 'Paste a key. It stays in this page, and is gone when you leave it.';
  }

  #foreignWords(environment: 'production' | 'staging'): string {
    const { title } = this.#target;
    return `This is a ${environment} key, and ${title.toLowerCase()} does not take it. Choose its environment, or paste another key.`;
  }
}

function temporaryWords({ endsAt }: TemporaryKey): string {
  const time = new Date(endsAt).toLocaleTimeString('en-GB', { timeStyle: 'short' });
  return `A temporary staging key, which ends at ${time}. It is on the page Keys until then.`;
}

async function issueTemporaryKey(
  accountId: string,
): Promise<TemporaryKey | { readonly message: string }> {
  const issued = await callDashboard<IssuedKeyInfo>('POST', '/temporary-keys');
  if ('message' in issued) return issued;
  const { expiresAt, createdAt } = issued.key;
  // The browser's clock may differ from that of the service.
  const endsAt = Date.now() + (expiresAt ?? createdAt) - createdAt;
  return { text: issued.text, endsAt, accountId };
}
