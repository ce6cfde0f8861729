import { requestWithId } from '../../shared/request-id.ts';
import type { SearchResult } from '../../shared/search.ts';
import { addEntry, isOwnStep, leaveEntry, onceSettled } from '../common/history-entries.ts';
import { isOperator } from '../reference/dashboard-calls.ts';
import { element } from '../reference/elements.ts';
import { loadIndex, type SearchIndex } from './search-index.ts';

const LIST_ID = 'search-options';

/** The name of its entry in the history, which Back leaves. */
const ENTRY = 'search';

let dialog: SearchDialog | undefined;

/** Opens the search. Loads its index the first time, and rejects if that fails. */
export async function openSearch(basePath: string): Promise<void> {
  dialog ??= new SearchDialog(await loadIndex(basePath), basePath);
  dialog.open();
  dialog.readAs(await isOperator());
}

/** A field and a list of results, of which one is active (the combobox pattern of ARIA). */
class SearchDialog {
  readonly #index: SearchIndex;
  readonly #basePath: string;
  readonly #input = element('input', {
    // In a field of type search, Esc clears the text instead of closing the dialog.
    type: 'text',
    role: 'combobox',
    'aria-label': 'Search operations, guides, error codes, headers and pages',
    'aria-controls': LIST_ID,
    'aria-expanded': 'false',
    'aria-autocomplete': 'list',
    placeholder: 'Search: ban, 429, pet_not_found, Retry-After',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  readonly #list = element('ul', { id: LIST_ID, role: 'listbox', 'aria-label': 'Results' });
  readonly #status = element('p', { role: 'status', class: 'search-status' });
  readonly #dialog: HTMLDialogElement;
  #active = -1;
  #isOperator = false;

  constructor(index: SearchIndex, basePath: string) {
    this.#index = index;
    this.#basePath = basePath;
    const close = element('button', { type: 'button', class: 'search-close' }, 'Close');
    const line = element('div', { class: 'search-line' }, this.#input, close);
    const attributes = { class: 'search-dialog', 'aria-label': 'Search' };
    this.#dialog = element('dialog', attributes, line, this.#status, this.#list);
    close.addEventListener('click', () => this.#dialog.close());
    this.#input.addEventListener('input', () => this.#find());
    this.#input.addEventListener('keydown', (event) => this.#move(event));
    // A click outside the dialog is a click on its backdrop.
    this.#dialog.addEventListener('click', ({ target }) => {
      if (target === this.#dialog) this.#dialog.close();
    });
    this.#dialog.addEventListener('close', () => onceSettled(() => leaveEntry(ENTRY)));
    window.addEventListener('popstate', (event) => {
      if (!isOwnStep(event)) this.#dialog.close();
    });
    document.body.append(this.#dialog);
  }

  open(): void {
    if (!this.#dialog.open) {
      this.#dialog.showModal();
      onceSettled(() => addEntry(ENTRY));
    }
    this.#input.focus();
    this.#input.select();
    this.#find();
  }

  /** Offers pages by the role of the reader. */
  readAs(isOperator: boolean): void {
    if (this.#isOperator === isOperator) return;
    this.#isOperator = isOperator;
    this.#find();
  }

  #find(): void {
    const query = this.#input.value.trim();
    const results = [...requestWithId(query), ...this.#index.find(query, this.#isOperator)];
    this.#list.replaceChildren(...results.map((result, index) => this.#option(result, index)));
    this.#list.hidden = results.length === 0;
    this.#input.setAttribute('aria-expanded', String(results.length > 0));
    this.#status.textContent = statusOf(query, results.length);
    this.#activate(results.length > 0 ? 0 : -1);
  }

  #option({ path, title, kind, excerpt }: SearchResult, index: number): HTMLElement {
    const head = element(
      'span',
      { class: 'search-title' },
      element('strong', {}, title),
      element('span', { class: 'search-kind' }, kind),
    );
    const option = element(
      'li',
      { role: 'option', id: `search-option-${index}`, 'aria-selected': 'false' },
      head,
      element('span', { class: 'search-excerpt' }, excerpt),
    );
    option.dataset['path'] = path;
    option.addEventListener('click', () => this.#go(option));
    return option;
  }

  #move(event: KeyboardEvent): void {
    const { length } = this.#list.children;
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined && length > 0) {
      event.preventDefault();
      this.#activate((this.#active + step + length) % length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const option = this.#list.children[this.#active];
      if (option instanceof HTMLElement) this.#go(option);
    }
  }

  #activate(index: number): void {
    this.#active = index;
    for (const [place, option] of [...this.#list.children].entries()) {
      option.setAttribute('aria-selected', String(place === index));
    }
    const option = this.#list.children[index];
    if (option) {
      this.#input.setAttribute('aria-activedescendant', option.id);
      option.scrollIntoView({ block: 'nearest' });
    } else {
      this.#input.removeAttribute('aria-activedescendant');
    }
  }

  #go({ dataset }: HTMLElement): void {
    // The page takes the place of the dialog's entry.
    history.replaceState(null, '');
    this.#dialog.close();
    location.replace(this.#basePath + (dataset['path'] ?? '/'));
  }
}

function statusOf(query: string, count: number): string {
  if (query === '') return 'Type a word. Arrow keys choose, Enter opens, Esc closes.';
  if (count === 0) return 'Nothing was found. Try a part of the word.';
  return count === 1 ? '1 result' : `${count} results`;
}
