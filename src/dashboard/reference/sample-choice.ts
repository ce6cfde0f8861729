import type { FormRequest } from '../../api/samples/form-request.ts';
import { samplesOfRequest } from '../../api/samples/samples.ts';
import { type Html, html } from '../pages/html.ts';
import { code } from './prose.ts';

/**
 * The samples of a request; only the chosen language is shown. Choosing works without a script, by
 * style sheet. The page's script remembers the choice, and writes the samples anew whenever the form
 * changes.
 * @param initial the request of the form before anybody changes it.
 */
export function sampleChoice(initial: FormRequest): Html {
  const samples = samplesOfRequest(initial);
  const choices = samples.map(
    ({ language, title }, index) =>
      html`<label class="tab"><input type="radio" name="language" value="${language}"${index === 0 ? html` checked` : ''}>${title}</label>`,
  );
  return html`<fieldset class="tabs"><legend>Language</legend>
${choices}
</fieldset>
${samples.map(
  ({ language, title, note, code: text }) => html`<div class="sample sample-${language}">
${code(text, `The request in ${title}`, language)}
<p class="dimmed">With ${note}.</p></div>`,
)}`;
}
