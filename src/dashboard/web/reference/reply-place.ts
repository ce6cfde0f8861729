import type { FormRequest } from '../../../api/samples/form-request.ts';
import { addCopyButtons } from './copy-buttons.ts';

/** What the form of a target was answered last. */
interface Shown {
  readonly content: readonly Node[];
  readonly request: FormRequest;
}

/** The part of the page for replies: one for each target, shown while that is chosen. */
export class ReplyPlace {
  readonly #place: Element;
  readonly #note: HTMLElement;
  readonly #shown = new Map<string, Shown>();
  #baseUrl = '';

  /** @param note is shown while the form differs from the request of the reply. */
  constructor(place: Element, note: HTMLElement) {
    this.#place = place;
    this.#note = note;
  }

  /** Shows what a request was answered, now or when its target is chosen again. */
  put(request: FormRequest, content: readonly Node[]): void {
    this.#shown.set(request.baseUrl, { content, request });
    if (request.baseUrl === this.#baseUrl) this.#place.replaceChildren(...content);
    addCopyButtons(this.#place);
  }

  /** Follows the form: its target, and whether it still is what the reply answers. */
  follow(request: FormRequest): void {
    const shown = this.#shown.get(request.baseUrl);
    if (request.baseUrl !== this.#baseUrl) {
      this.#baseUrl = request.baseUrl;
      this.#place.replaceChildren(...(shown?.content ?? []));
      addCopyButtons(this.#place);
    }
    this.#note.hidden = !shown || JSON.stringify(shown.request) === JSON.stringify(request);
  }

  clear(): void {
    this.#shown.clear();
    this.#place.replaceChildren();
    this.#note.hidden = true;
  }
}
