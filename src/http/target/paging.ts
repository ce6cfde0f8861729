import { PAGE_SIZE } from '../../core/pets/pets.ts';
import type { Pagination, Parameter } from '../operation.ts';

/** How every list of the API is paged: by the parameters `limit` and `after`, and by `Link` (RFC 8288). */
export const PAGINATION: Pagination = {
  style: 'cursor',
  limitParameter: 'limit',
  cursorParameter: 'after',
  cursorField: 'id',
  nextLink: { header: 'Link', rel: 'next' },
};

/** The parameter for the size of a page. @param nouns what the list holds, such as `animals`. */
export function limitParameter(nouns: string): Parameter {
  return {
    name: 'limit',
    in: 'query',
    required: false,
    description: `Maximum number of ${nouns} to return (page size).`,
    schema: { type: 'integer', ...PAGE_SIZE },
    example: 20,
  };
}

/**
 * The value of the `Link` header that leads to the next page.
 * @param address of the list.
 * @param query the parameters of the next page; only values that need no encoding.
 */
export function nextPageLink(
  address: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return `<${address}?${given.map((pair) => pair.join('=')).join('&')}>; rel="next"`;
}
