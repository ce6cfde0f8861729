import { ApiError } from '../../core/errors.ts';
import { PAGE_SIZE } from '../../core/pets/pets.ts';
import { readInt64 } from '../../lib/int64.ts';
import type { Pagination, Parameter } from '../operation.ts';
import { integerParameter } from './parameters.ts';
import { refusalOf } from './query.ts';

/** How every list of the API is paged: by the parameters `limit` and `after`, and by `Link` (RFC 8288). */
export const PAGINATION: Pagination = {
  style: 'cursor',
  limitParameter: 'limit',
  cursorParameter: 'after',
  cursorField: 'id',
  nextLink: { header: 'Link', rel: 'next' },
};

/** The parameter for the size of a page. @param nouns what the list holds, such as `animals`. */
export function limitParameter(nouns: string): Parameter<'limit', number> {
  return integerParameter('limit', PAGE_SIZE, {
    description: `Maximum number of ${nouns} to return (page size).`,
    example: 20,
  });
}

/**
 * The parameter that continues a list whose ids are integers; 0 for the first page.
 * @param noun what the list holds, such as `an animal`.
 */
export function afterParameter(noun: string, nouns: string): Parameter<'after', number> {
  const problem = `must be the id of ${noun}; follow the Link header of the last page`;
  const refusal = refusalOf('after', problem);
  return {
    ...{ name: 'after', in: 'query', required: false, example: 20, refusal },
    description: `Only ${nouns} with a greater id. Follow \`Link\` rather than make it yourself.`,
    schema: { type: 'integer', format: 'int64', minimum: 0 },
    read(text) {
      if (text === undefined) return 0;
      const id = text.startsWith('-') ? undefined : readInt64(text);
      if (id === undefined) throw new ApiError('invalid_parameter', refusal);
      // Ids stay below this bound, so a greater one leads to the same empty page.
      return Math.min(Number(id), Number.MAX_SAFE_INTEGER);
    },
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
