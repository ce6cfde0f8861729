import { OPERATIONS } from '../../api/all-operations.ts';
import type { PublishedOperation } from '../../api/operations.ts';
import { initialRequest } from '../../api/samples/form-request.ts';
import { APIS } from '../../core/environments.ts';
import { DOCUMENT_PATH, YAML_DOCUMENT_PATH } from '../../http/target/served-operations.ts';
import { type Html, html } from '../pages/html.ts';
import { plans } from '../pages/reference-sections.ts';
import type { PageParts } from '../pages/shell.ts';
import { badges, methodMark, type ReferencePage } from './frame.ts';
import { guidesOf } from './guides/guides.ts';
import { onThisPage } from './on-this-page.ts';
import { errorPath, guidePath, operationPath, REFERENCE_PATH, REFERENCE_TITLE } from './paths.ts';
import { code, prose } from './prose.ts';
import { sampleChoice } from './sample-choice.ts';
import { tagsOf } from './tags.ts';

type Parts = Pick<PageParts, 'addresses' | 'basePath' | 'contract'>;

const ADDRESSES = [
  ['production', 'Production', 'Real animals, real limits.'],
  ['staging', 'Staging', 'The same API with animals, keys and limits of its own.'],
  ['quickstart', 'Quickstart', 'Takes keys of either environment.'],
  ['sandbox', 'Sandbox', 'Time, limits and bans of staging. Takes staging keys.'],
] as const;

/**
 * The first page of the reference: addresses, keys, limits, every operation and guide, documents for
 * programs, and a first call with its reply.
 */
export function overviewPage(parts: Parts): ReferencePage {
  const { basePath, contract } = parts;
  return {
    path: REFERENCE_PATH,
    title: REFERENCE_TITLE,
    description: 'Every operation, parameter and error of the petstore API, to read and to try.',
    content: html`<div class="operation">
<div class="operation-request">
<h1>${REFERENCE_TITLE}</h1>
<p>List, add and fetch animals over JSON and HTTP. Each operation has a page, where you can send it.</p>
${onThisPage(SECTIONS)}
${addresses(parts)}
${prose(AUTHENTICATION, basePath)}
</div>
<div class="operation-try">
${firstCall(parts)}
</div>
<div class="operation-replies">
${prose(`${LIMITS}\n\n${plans()}`, basePath)}
<section id="operations"><h2><a class="anchor" href="#operations">Operations</a></h2>
${tagsOf(contract).map(({ tag, description, operations }) => operationsOf(tag, description, operations, basePath))}</section>
<section id="guides"><h2><a class="anchor" href="#guides">Guides</a></h2>
<ul class="fields">
${guidesOf(contract).map(
  ({ name, title, description }) =>
    html`<li><p class="field"><a href="${basePath}${guidePath(name)}">${title}</a> <span class="dimmed">${description}</span></p></li>`,
)}
</ul></section>
${prose(documents(parts), basePath)}
</div>
</div>`,
  };
}

const SECTIONS = [
  { id: 'addresses', title: 'Addresses' },
  { id: 'authentication', title: 'Authentication' },
  { id: 'samples', title: 'A first call' },
  { id: 'limits', title: 'Limits' },
  { id: 'operations', title: 'Operations' },
  { id: 'guides', title: 'Guides' },
  { id: 'for-programs', title: 'For programs' },
] as const;

const AUTHENTICATION = `## Authentication

Every operation needs an API key: \`Authorization: Bearer <API_KEY>\`. Make one on [Keys](/keys). A key belongs to one
environment; in the other one it gets 401.
`;

const LIMITS = `## Limits

Limits belong to the account, in each environment. Past one, the reply is 429 with \`Retry-After\`. See the guide
[Limits](/docs/guides/limits).`;

/** A call in staging that changes nothing, and its reply. */
function firstCall({ addresses, basePath }: Parts): Html {
  const { listPets } = OPERATIONS;
  const { status, example } = listPets.success;
  return html`<section id="samples"><h2><a class="anchor" href="#samples">A first call</a></h2>
${sampleChoice(initialRequest(listPets, addresses.staging))}
<div class="first-reply">
<p>The reply is ${String(status)}; a key that is missing or wrong gets <a href="${basePath}${errorPath('missing_api_key')}">401</a>.</p>
${code(JSON.stringify(example, undefined, 2), 'Body of the reply', 'json')}
<p><a href="${basePath}${operationPath(listPets.id)}#try">Send it from here</a></p>
</div></section>`;
}

function addresses({ addresses }: Parts): Html {
  return html`<section id="addresses"><h2><a class="anchor" href="#addresses">Addresses</a></h2>
<ul class="fields">
${ADDRESSES.map(
  ([name, title, words]) => html`<li><p class="field"><strong>${title}</strong>
<code>${addresses[name]}</code> <span class="dimmed">${words}</span></p></li>`,
)}
</ul></section>`;
}

function operationsOf(
  tag: string,
  description: string,
  operations: readonly PublishedOperation[],
  basePath: string,
): Html {
  return html`<h3>${tag}</h3>
<p>${description}</p>
<ul class="fields">
${operations.map((operation) => {
  const { id, summary, method, path } = operation;
  return html`<li id="${formerAnchor(tag, method, path)}">
<p class="field">${methodMark(method)} <code>${path}</code> <a href="${basePath}${operationPath(id)}">${summary}</a>
${badges(operation)}</p></li>`;
})}
</ul>`;
}

/**
 * The fragment of an operation's address from the time when the reference was a single page:
 * `#pets/tag/pets/GET/pets/{petId}`.
 */
function formerAnchor(tag: string, method: string, path: string): string {
  const name = tag.toLowerCase();
  return `${name}/tag/${name}/${method}${path}`;
}

/** Markdown. */
function documents({ addresses }: Parts): string {
  const rows = APIS.map((name) => {
    const json = addresses[name] + DOCUMENT_PATH;
    return `- OpenAPI 3.1 of ${name}: [JSON](${json}), [YAML](${addresses[name]}${YAML_DOCUMENT_PATH})`;
  });
  return `## For programs

${rows.join('\n')}
- [Workflows](/arazzo.json): an Arazzo 1.0 document
- [The whole reference in Markdown](/reference.md); every guide and operation has its page with \`.md\` at the end
- [The guide for agents](/llms.txt), who use the same operations as tools at \`${addresses.dashboard}/mcp\`
`;
}
