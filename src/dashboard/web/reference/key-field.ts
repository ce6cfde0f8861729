import { element } from './elements.ts';

/** Where the key is kept while the tab is open. */
const STORED = 'petstore-reference-key';

/** The field for the API key that requests are sent with. */
export class KeyField {
  readonly #input = element('input', {
    id: 'try-api-key',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': 'try-api-key-hint',
  });
  readonly #hint = element('p', { id: 'try-api-key-hint', class: 'dimmed', role: 'status' });

  constructor(place: Element) {
    this.#input.value = sessionStorage.getItem(STORED) ?? '';
    this.#input.addEventListener('input', () => this.#changed());
    const label = element('label', { for: this.#input.id }, 'API key');
    place.append(element('div', { class: 'try-field' }, label, this.#input), this.#hint);
    this.#showHint();
  }

  /** The environment that the key says it is for. */
  get environment(): 'production' | 'staging' | undefined {
    const text = this.#input.value.trim();
    if (text.startsWith('pst_live_')) return 'production';
    return text.startsWith('pst_staging_') ? 'staging' : undefined;
  }

  /** The key; without one it asks for it and returns `undefined`. */
  require(): string | undefined {
    const text = this.#input.value.trim();
    if (text !== '') return text;
    this.#hint.textContent = 'Paste an API key first.';
    this.#input.focus();
    return undefined;
  }

  #changed(): void {
    sessionStorage.setItem(STORED, this.#input.value.trim());
    this.#showHint();
  }

  #showHint(): void {
    this.#hint.textContent =
      this.#input.value === ''
        ? 'Paste a key. It stays in this tab, and is gone when you close it.'
        : 'This key stays in this tab, and is gone when you close it.';
  }
}
