import { SCHEMAS, schemaName } from '../../api/openapi/schemas.ts';
import { withSimulateParameter } from '../../api/openapi/simulate-parameter.ts';
import type { PublishedOperation } from '../../api/operations.ts';
import { initialRequest } from '../../api/samples/form-request.ts';
import { ERRORS, type ErrorCode } from '../../core/errors.ts';
import {
  EVERY_REPLY_HEADERS,
  HEADERS,
  type HeaderName,
  REQUEST_HEADERS,
  type RequestHeaderName,
} from '../../http/headers.ts';
import { lifecycleOf } from '../../http/lifecycle.ts';
import { exampleMessage } from '../../http/reply/example-errors.ts';
import { SIMULATE_HEADER } from '../../http/simulation/headers.ts';
import { type Html, html } from '../pages/html.ts';
import { addressOf, headerExample, replyHeaders } from '../pages/reference-sections.ts';
import type { PageParts } from '../pages/shell.ts';
import { factsOf, fieldList, fieldsOf } from './fields.ts';
import { badges, methodMark, type ReferencePage } from './frame.ts';
import { onThisPage, type PageSection } from './on-this-page.ts';
import { errorPath, operationPath } from './paths.ts';
import { code, prose } from './prose.ts';
import { replyChoice } from './reply-choice.ts';
import { sampleChoice } from './sample-choice.ts';
import { targetsOf } from './targets.ts';
import { tryForm } from './try-form.ts';

type Parts = Pick<PageParts, 'addresses' | 'basePath' | 'contract'>;

/** The page of one operation. */
export function operationPage(published: PublishedOperation, parts: Parts): ReferencePage {
  const { addresses, basePath, contract } = parts;
  const { id } = published;
  const isSimulated = contract.operationsOf('staging').some((each) => each.id === id);
  const ofStaging = isSimulated ? withSimulateParameter(published) : published;
  const { method, path, summary, description } = published;
  // Parameters of staging alone come last.
  const parameters = new Set([...published.parameters, ...ofStaging.parameters]);
  const operation = { ...ofStaging, parameters: [...parameters] };
  const base = addressOf(published, addresses);
  const targets = targetsOf(published, addresses);
  const initial = initialRequest(operation, targets[0].baseUrl);
  return {
    path: operationPath(id),
    title: summary,
    description: `${id}: ${method} ${path}. ${published.success.description}`,
    content: html`<div class="operation">
<div class="operation-request">
<h1>${summary} ${badges(published)}</h1>
<p class="endpoint">${methodMark(method)} <code>${base}${path}</code></p>
${onThisPage(sectionsOf(operation))}
${lifecycleOf(published).notes.map(
  ({ kind, text }) => html`<div class="note" id="${kind}">${prose(text, basePath)}</div>`,
)}
${prose(description, basePath)}
${parametersSection(operation, basePath)}
${bodySection(operation, basePath)}
</div>
<div class="operation-try">
<section id="try"><h2><a class="anchor" href="#try">Try it</a></h2>
${tryForm(initial, operation, targets)}</section>
<section id="samples"><h2><a class="anchor" href="#samples">Samples</a></h2>
${sampleChoice(initial)}
${replyChoice(ofStaging, parts)}</section>
</div>
<div class="operation-replies">
${replySection(operation, parts)}
${errorsSection(ofStaging, parts)}
</div>
</div>`,
  };
}

/** The sections of the page, in its order. */
function sectionsOf({ body, success }: PublishedOperation): readonly PageSection[] {
  return [
    { id: 'parameters', title: 'Parameters' },
    ...(body ? [{ id: 'body', title: 'Body' }] : []),
    { id: 'try', title: 'Try it' },
    { id: 'samples', title: 'Samples' },
    { id: 'reply', title: `Reply: ${success.status}` },
    { id: 'headers', title: 'Headers' },
    { id: 'errors', title: 'Errors' },
  ];
}

function parametersSection({ parameters }: PublishedOperation, basePath: string): Html {
  const fields = parameters.map(({ name, in: place, required, schema, description }) => ({
    name,
    place,
    facts: factsOf(schema),
    mark: required ? ('required' as const) : ('' as const),
    // All simulations would fill half of each page; the guide that this description links to has them.
    description: name === SIMULATE_HEADER ? requestHeader(name) : description,
  }));
  const authorization = {
    name: 'Authorization',
    place: 'header',
    facts: ['string'],
    mark: 'required' as const,
    description: `${requestHeader('Authorization')} Make one on [Keys](/keys).`,
  };
  return html`<section id="parameters"><h2><a class="anchor" href="#parameters">Parameters</a></h2>
${fieldList([authorization, ...fields], 'parameter', basePath)}</section>`;
}

/** What a header of requests is for, as Markdown. */
function requestHeader(name: RequestHeaderName): string {
  return REQUEST_HEADERS.find((each) => each.name === name)?.description ?? '';
}

function bodySection({ body, isBodyOptional }: PublishedOperation, basePath: string): Html {
  const schema = body && SCHEMAS[schemaName(body)];
  if (!schema) return html``;
  return html`<section id="body"><h2><a class="anchor" href="#body">Body</a></h2>
${prose(isBodyOptional ? `Optional. ${schema.description}` : schema.description, basePath)}
${fieldList(fieldsOf(schema, 'required'), 'body', basePath)}</section>`;
}

function replySection(operation: PublishedOperation, parts: Parts): Html {
  const { basePath } = parts;
  const { status, schema, description } = operation.success;
  const named = schema && SCHEMAS[schemaName(schema)];
  const ofEvery: readonly HeaderName[] = EVERY_REPLY_HEADERS;
  const own = replyHeaders(operation).filter((name) => !ofEvery.includes(name));
  return html`<section id="reply"><h2><a class="anchor" href="#reply">Reply: ${String(status)}</a></h2>
${prose(description, basePath)}
${named ? fieldList(fieldsOf(named, 'optional'), 'reply', basePath) : ''}
<h3 id="headers"><a class="anchor" href="#headers">Headers</a></h3>
${headerList(own, operation, parts)}
<details class="more">
<summary>${String(EVERY_REPLY_HEADERS.length)} headers of every reply: limits and <code>X-Request-Id</code></summary>
${headerList(EVERY_REPLY_HEADERS, operation, parts)}
</details>
</section>`;
}

function headerList(
  names: readonly HeaderName[],
  operation: PublishedOperation,
  { addresses, basePath }: Parts,
): Html {
  if (names.length === 0) return html``;
  return html`<ul class="fields">
${names.map((name) => {
  const anchor = `header-${name.toLowerCase()}`;
  return html`<li id="${anchor}"><p class="field"><a class="anchor" href="#${anchor}"><code>${name}</code></a>
<span class="dimmed monospace">${headerExample(name, addresses, operation)}</span></p>
${prose(HEADERS[name].description, basePath)}</li>`;
})}
</ul>`;
}

/** Every error of the operation: when it comes, why, what to do, and how it looks. */
function errorsSection(operation: PublishedOperation, parts: Parts): Html {
  const rows = [...new Set(operation.errors)]
    .sort((one, other) => ERRORS[one].status - ERRORS[other].status)
    .map((error) => errorItem(error, operation, parts));
  return html`<section id="errors"><h2><a class="anchor" href="#errors">Errors</a></h2>
<ul class="fields">
${rows}
</ul></section>`;
}

function errorItem(error: ErrorCode, operation: PublishedOperation, parts: Parts): Html {
  const { basePath, addresses } = parts;
  const { status, meaning, cause, cure } = ERRORS[error];
  const message = exampleMessage(error, operation, addressOf(operation, addresses));
  const example = JSON.stringify({ code: error, message, status }, undefined, 2);
  return html`<li id="error-${error}"><details class="error">
<summary><strong>${String(status)}</strong> <code>${error}</code> <span class="dimmed">${meaning}</span></summary>
<dl>
<dt>Cause</dt><dd>${prose(cause, basePath)}</dd>
<dt>What to do</dt><dd>${prose(cure, basePath)}</dd>
</dl>
${code(example, `The body of ${error}`, 'json')}
<p><a href="${basePath}${errorPath(error)}">More about ${error}</a></p>
</details></li>`;
}
