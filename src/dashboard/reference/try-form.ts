import type { PublishedOperation } from '../../api/operations.ts';
import { type FormRequest, targetOf } from '../../api/samples/form-request.ts';
import type { ParameterDescription } from '../../http/operation.ts';
import { SIMULATE_HEADER } from '../../http/simulation/headers.ts';
import { type Html, html } from '../pages/html.ts';
import type { Target } from './targets.ts';

/**
 * The form that sends a request. It does nothing until the page's script is loaded:
 * `web/reference/form.ts` reads it by its data attributes.
 * @param initial the request before anybody changes the form, to the first target.
 */
export function tryForm(
  initial: FormRequest,
  { parameters, body: schema, isBodyOptional }: PublishedOperation,
  targets: readonly Target[],
): Html {
  const { operationId, method, path, baseUrl, body, result } = initial;
  return html`<form class="try needs-script" data-operation="${operationId}" data-method="${method}" data-path="${path}" data-result="${result}" autocomplete="off">
${targets.length > 1 ? targetChoice(targets) : targets.map(onlyTarget)}
<div class="try-field"><label for="try-api-key">API key</label>
<input type="password" id="try-api-key" autocomplete="off" spellcheck="false" aria-describedby="try-api-key-hint"></div>
<p class="dimmed try-hint" id="try-api-key-hint" role="status">Paste a key. It stays in this page, and is gone when you leave it.</p>
${parameters.map((parameter, index) => parameterInput(parameter, initial.parameters[index]?.value ?? ''))}
${schema ? bodyInput(body ?? '', isBodyOptional ?? false) : ''}
<div class="try-send"><button type="submit" class="button" disabled>Send</button>
<output class="try-request monospace dimmed">${method} ${baseUrl}${targetOf(initial)}</output></div>
<p class="dimmed try-changed" role="status" hidden>The form has changed since this reply.</p>
<section class="try-reply" aria-label="Reply" aria-live="polite"></section>
</form>
<noscript><p>Sending a request from here needs JavaScript. The samples below do the same.</p></noscript>`;
}

function targetChoice(targets: readonly Target[]): Html {
  const choices = targets.map(
    ({ title, baseUrl, environment }, index) =>
      html`<label class="try-target"><input type="radio" name="target" value="${baseUrl}" data-environment="${environment ?? ''}" data-title="${title}"${index === 0 ? html` checked` : ''}> ${title}</label>`,
  );
  return html`<fieldset><legend>Send to</legend>
${choices}
</fieldset>`;
}

function onlyTarget({ title, baseUrl, environment }: Target): Html {
  return html`<input type="hidden" name="target" value="${baseUrl}" data-environment="${environment ?? ''}" data-title="${title}">`;
}

function parameterInput(parameter: ParameterDescription, value: string): Html {
  const { name, in: place, required, schema, example } = parameter;
  const id = `try-${name}`;
  const isOfStaging = name === SIMULATE_HEADER;
  const label = html`<label for="${id}"><code>${name}</code>${required ? html` <span class="required">required</span>` : ''}</label>`;
  const data = html`id="${id}" data-parameter="${name}" data-in="${place}"${parameter.isGenerated ? html` data-generated` : ''}${isOfStaging ? html` data-environment="staging"` : ''}${required ? html` required` : ''}`;
  const { enum: values } = schema;
  if (Array.isArray(values)) {
    return html`<div class="try-field">${label}
<select ${data}><option value=""></option>${values.map((each) => html`<option>${String(each)}</option>`)}</select></div>`;
  }
  const filled = value === '' ? '' : html` value="${value}"`;
  const placeholder = isOfStaging ? 'only in staging' : example;
  const hint = placeholder === undefined ? '' : html` placeholder="${String(placeholder)}"`;
  return html`<div class="try-field">${label}
<input type="text" ${data}${filled}${hint} spellcheck="false"></div>`;
}

/** Plain text, which is sent unchanged, so that numbers keep all of their digits. */
function bodyInput(text: string, isOptional: boolean): Html {
  const facts = `${isOptional ? 'optional, ' : ''}application/json`;
  const data = isOptional ? html` data-optional` : '';
  return html`<div class="try-body"><label for="try-body">Body <span class="dimmed">${facts}</span></label>
<textarea id="try-body" class="monospace" rows="${String(Math.max(text.split('\n').length, 2))}" spellcheck="false"${data}>${text}</textarea></div>`;
}
