import { ofBrowser, recall, remember } from '../remember.ts';

/** The placeholder for the API key in samples, as `api/samples/samples.ts` writes it. */
const KEY_PLACEHOLDER = 'YOUR_API_KEY';

/** The storage key of the language of samples. */
const STORED = 'petstore-reference-language';

/** Shows samples in the language that was chosen last. */
export function rememberLanguage(): void {
  const choices = document.querySelectorAll<HTMLInputElement>('input[name="language"]');
  const remembered = recall(ofBrowser, STORED);
  for (const choice of choices) {
    if (choice.value === remembered) choice.checked = true;
    choice.addEventListener('change', () => remember(ofBrowser, STORED, choice.value));
  }
}

/**
 * Finds the samples of the page. @returns a function that inserts a key into them; an empty key
 * restores the placeholder.
 */
export function sampleWriter(): (key: string) => void {
  const samples = Array.from(document.querySelectorAll('.sample code'), (code) => ({
    code,
    text: code.textContent,
  }));
  return (key) => {
    for (const { code, text } of samples) {
      code.textContent = text.replaceAll(KEY_PLACEHOLDER, key === '' ? KEY_PLACEHOLDER : key);
    }
  };
}
