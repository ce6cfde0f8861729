import type { FormRequest } from '../../../api/samples/form-request.ts';
import { samplesOfRequest } from '../../../api/samples/samples.ts';
import { environmentOfShape } from '../../../core/keys/api-key-text.ts';
import { LANGUAGE, ofBrowser, recall, remember } from '../remember.ts';
import { colorCode } from './colors.ts';
import type { FormTarget } from './form.ts';

/** Shows samples in the language that was chosen last. */
export function rememberLanguage(): void {
  const choices = document.querySelectorAll<HTMLInputElement>('input[name="language"]');
  const remembered = recall(ofBrowser, LANGUAGE);
  for (const choice of choices) {
    if (choice.value === remembered) choice.checked = true;
    choice.addEventListener('change', () => remember(ofBrowser, LANGUAGE, choice.value));
  }
}

/**
 * Writes the samples of the page for a request. A key that is not one of the target's environment is left out: the
 * samples then have the placeholder.
 */
export function showSamples(request: FormRequest, { environment }: FormTarget, key: string): void {
  const ofKey = environmentOfShape(key);
  const isUsable = ofKey !== undefined && (environment === undefined || environment === ofKey);
  for (const { language, code } of samplesOfRequest(request, isUsable ? key : undefined)) {
    const shown = document.querySelector(`.sample-${language} code`);
    if (!shown || shown.textContent === code) continue;
    shown.textContent = code;
    void colorCode(shown, language);
  }
}
