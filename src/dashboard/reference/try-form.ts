import type { PublishedOperation } from '../../api/operations.ts';
import type { ParameterDescription } from '../../http/operation.ts';
import { type Html, html } from '../pages/html.ts';
import type { Addresses } from '../pages/reference-sections.ts';

/** An address that the form can send to, and the environment of its keys. */
interface Target {
  readonly title: string;
  readonly baseUrl: string;
  /** `undefined` if keys of both environments are accepted. */
  readonly environment?: 'production' | 'staging';
}

/**
 * The form that sends a request. It does nothing until the page's script is loaded:
 * `web/reference/try-it.ts` reads it by its data attributes.
 */
export function tryForm(operation: PublishedOperation, addresses: Addresses): Html {
  const { method, path, parameters, body } = operation;
  const targets = targetsOf(operation, addresses);
  return html`<form class="try needs-script" data-method="${method}" data-path="${path}" autocomplete="off">
${targets.length > 1 ? targetChoice(targets) : targets.map(onlyTarget)}
<div class="try-field"><label for="try-api-key">API key</label>
<input type="password" id="try-api-key" autocomplete="off" spellcheck="false" aria-describedby="try-api-key-hint"></div>
<p class="dimmed try-hint" id="try-api-key-hint" role="status">Paste a key. It stays in this page, and is gone when you leave it.</p>
${parameters.map(parameterInput)}
${body ? bodyInput(Object(body).example) : ''}
<div class="try-send"><button type="submit" class="button" disabled>Send</button>
<output class="try-request monospace dimmed"></output></div>
<section class="try-reply" aria-label="Reply" aria-live="polite"></section>
</form>
<noscript><p>Sending a request from here needs JavaScript. The samples below do the same.</p></noscript>`;
}

/** Staging first, since requests there do not affect production. */
function targetsOf({ tag }: PublishedOperation, addresses: Addresses): readonly Target[] {
  const { production, staging, quickstart, sandbox } = addresses;
  if (tag === 'Quickstart') return [{ title: 'Quickstart', baseUrl: quickstart }];
  if (tag === 'Sandbox') return [{ title: 'Sandbox', baseUrl: sandbox, environment: 'staging' }];
  return [
    { title: 'Staging', baseUrl: staging, environment: 'staging' },
    { title: 'Production', baseUrl: production, environment: 'production' },
  ];
}

function targetChoice(targets: readonly Target[]): Html {
  const choices = targets.map(
    ({ title, baseUrl, environment }, index) =>
      html`<label class="try-target"><input type="radio" name="target" value="${baseUrl}" data-environment="${environment ?? ''}"${index === 0 ? html` checked` : ''}> ${title} <span class="monospace dimmed">${baseUrl}</span></label>`,
  );
  return html`<fieldset><legend>Send to</legend>
${choices}
</fieldset>`;
}

function onlyTarget({ baseUrl, environment }: Target): Html {
  return html`<input type="hidden" name="target" value="${baseUrl}" data-environment="${environment ?? ''}">`;
}

function parameterInput({
  name,
  in: place,
  required,
  schema,
  example,
}: ParameterDescription): Html {
  const id = `try-${name}`;
  const label = html`<label for="${id}"><code>${name}</code> <span class="dimmed">${place}${required ? '' : ', optional'}</span></label>`;
  const data = html`id="${id}" data-parameter="${name}" data-in="${place}"${required ? html` required` : ''}`;
  const { enum: values } = schema;
  if (Array.isArray(values)) {
    return html`<div class="try-field">${label}
<select ${data}><option value=""></option>${values.map((value) => html`<option>${String(value)}</option>`)}</select></div>`;
  }
  const value = required && example !== undefined ? html` value="${String(example)}"` : '';
  const hint = example === undefined ? '' : html` placeholder="${String(example)}"`;
  return html`<div class="try-field">${label}
<input type="text" ${data}${value}${hint} spellcheck="false"></div>`;
}

/** Plain text, which is sent unchanged, so that numbers keep all of their digits. */
function bodyInput(example: unknown): Html {
  const text = JSON.stringify(example, undefined, 2);
  return html`<div class="try-field"><label for="try-body">Body <span class="dimmed">application/json</span></label>
<textarea id="try-body" class="monospace" rows="${String(text.split('\n').length + 1)}" spellcheck="false">${text}</textarea></div>`;
}
