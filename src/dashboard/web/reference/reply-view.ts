import { indentJson } from '../../../lib/exact-json.ts';
import { limitsFirst, type Reply, unreachableText } from '../send-request.ts';
import { codeBlock, element } from './elements.ts';
import type { ApiRequest } from './request.ts';

/** The status, time, request line, headers and body of a reply. @param title of the target that answered. */
export function replyView(title: string, { method, url }: ApiRequest, reply: Reply): HTMLElement[] {
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
    element(
      'p',
      { class: 'dimmed address' },
      `${title} answered `,
      element('span', { class: 'monospace' }, `${method} ${url}`),
    ),
    element('h3', {}, 'Headers'),
    headerTable(headers),
    element('h3', {}, 'Body'),
    body === '' ? element('p', { class: 'dimmed' }, 'Empty.') : codeBlock(indentJson(body), 'Body'),
  ];
}

export function unreachableView({ url }: ApiRequest): HTMLElement {
  return element('p', { class: 'required' }, unreachableText(url));
}

export function unsendableView(header: string): HTMLElement {
  const words = `No browser sends this ${header}. Use letters, digits and punctuation of ASCII.`;
  return element('p', { class: 'required' }, words);
}

function headerTable(headers: Reply['headers']): HTMLElement {
  return element(
    'table',
    { class: 'reply-headers' },
    element(
      'tbody',
      {},
      ...limitsFirst(headers).map(([name, value]) =>
        element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, value)),
      ),
    ),
  );
}
