import { indentJson } from '../exact-json.ts';
import type { Reply } from '../exchange.ts';
import { codeBlock, element } from './elements.ts';
import type { Attempt } from './request.ts';

/** The request line, status, time, headers and body of a reply. */
export function replyView({ method, url }: Attempt, reply: Reply): HTMLElement[] {
  const { status, statusText, took, headers, body } = reply;
  const isError = status >= 400;
  return [
    element(
      'p',
      { class: 'reply-line' },
      element(
        'strong',
        { class: isError ? 'required' : '' },
        statusText === '' ? `${status}` : `${status} ${statusText}`,
      ),
      ` after ${Math.round(took)} ms`,
    ),
    element('p', { class: 'monospace dimmed address' }, `${method} ${url}`),
    element('h3', {}, 'Headers'),
    headerTable(headers),
    element('h3', {}, 'Body'),
    body === '' ? element('p', { class: 'dimmed' }, 'Empty.') : codeBlock(indentJson(body), 'Body'),
  ];
}

export function unreachableView({ url }: Attempt): HTMLElement {
  const words = `Nothing answered at ${new URL(url).origin}. Check that the service runs there.`;
  return element('p', { class: 'required' }, words);
}

export function unsendableView(header: string): HTMLElement {
  const words = `No browser sends this ${header}. Use letters, digits and punctuation of ASCII.`;
  return element('p', { class: 'required' }, words);
}

/** The headers about limits first, the others in their original order. */
function headerTable(headers: Reply['headers']): HTMLElement {
  const rank = (name: string) => (/ratelimit|retry-after/.test(name) ? 0 : 1);
  const sorted = headers.toSorted(([one], [other]) => rank(one) - rank(other));
  return element(
    'table',
    { class: 'reply-headers' },
    element(
      'tbody',
      {},
      ...sorted.map(([name, value]) =>
        element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, value)),
      ),
    ),
  );
}
