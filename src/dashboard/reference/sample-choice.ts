import type { PublishedOperation } from '../../api/operations.ts';
import { samplesOf } from '../../api/samples/samples.ts';
import { type Html, html } from '../pages/html.ts';
import { code } from './prose.ts';

/**
 * The samples of an operation; only the chosen language is shown. Choosing works without a script,
 * by style sheet. The page's script remembers the choice and inserts the reader's key into the
 * samples.
 */
export function sampleChoice(operation: PublishedOperation, baseUrl: string): Html {
  const samples = samplesOf(operation, baseUrl);
  const choices = samples.map(
    ({ language, title }, index) =>
      html`<label><input type="radio" name="language" value="${language}"${index === 0 ? html` checked` : ''}> ${title}</label>`,
  );
  return html`<fieldset class="languages"><legend>Language</legend>
${choices}
</fieldset>
${samples.map(
  ({ language, title, note, code: text }) => html`<div class="sample sample-${language}">
<p class="dimmed">With ${note}.</p>
${code(text, `The request in ${title}`)}</div>`,
)}`;
}
