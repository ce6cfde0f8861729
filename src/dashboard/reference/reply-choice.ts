import { type DocumentedReply, documentedReplies } from '../../api/openapi/documented-replies.ts';
import type { PublishedOperation } from '../../api/operations.ts';
import { ERRORS, hasRetryAfter } from '../../core/errors.ts';
import { HEADERS, type HeaderName } from '../../http/headers.ts';
import { type Html, html } from '../pages/html.ts';
import { type Addresses, addressOf, headerExample } from '../pages/reference-sections.ts';
import { code, prose } from './prose.ts';

interface Parts {
  readonly addresses: Addresses;
  /** Path of the dashboard's address. */
  readonly basePath: string;
}

/**
 * An example of every reply of an operation; only those with the chosen status are shown. Choosing
 * works without a script, by style sheet.
 */
export function replyChoice(operation: PublishedOperation, { addresses, basePath }: Parts): Html {
  const replies = documentedReplies(operation, addressOf(operation, addresses));
  return html`<fieldset class="reply-choice"><legend>Replies</legend>
${replies.map((reply, index) => {
  const { status } = reply;
  const isFirst = index === 0 ? html` checked` : '';
  return html`<label class="tab"><input type="radio" name="status" value="${String(status)}"${isFirst}>${String(status)}</label>
<div class="reply-examples" data-status="${String(status)}">
${examplesOf(reply, operation, { addresses, basePath })}
</div>`;
})}
</fieldset>`;
}

function examplesOf(
  reply: DocumentedReply,
  operation: PublishedOperation,
  { addresses, basePath }: Parts,
): Html {
  const { status, description, headers, examples } = reply;
  const own = headers.filter((each) => typeof each === 'string');
  if (examples.length === 0) {
    return html`${prose(description, basePath)}
<p class="dimmed">No body.</p>
${headerLines(own, operation, addresses)}`;
  }
  return html`${examples.map(({ name, value }) => {
    const json = JSON.stringify(value, undefined, 2);
    if (name === 'success') {
      return html`${code(json, `Body of a reply with ${status}`, 'json')}
${headerLines(own, operation, addresses)}`;
    }
    return html`<p class="dimmed">${ERRORS[name].meaning}</p>
${code(json, `Body of a reply with ${name}`, 'json')}
${headerLines(hasRetryAfter(name) ? ['Retry-After'] : [], operation, addresses)}`;
  })}`;
}

/** Headers as they are sent, beyond those of every reply. Those that only some replies have are left out. */
function headerLines(
  names: readonly HeaderName[],
  operation: PublishedOperation,
  addresses: Addresses,
): Html {
  const sent = names.filter((name) => HEADERS[name].required);
  if (sent.length === 0) return html``;
  return html`<ul class="reply-lines">
${sent.map((name) => html`<li><code>${name}: ${headerExample(name, addresses, operation)}</code></li>`)}
</ul>`;
}
