import { PAGE_SIZE, PET_STATUSES, type PetQuery } from '../../core/pets.ts';
import { enumParameter, integerParameter, invalidParameter, readQuery } from '../../http/query.ts';
import { INT64_MAX } from '../../lib/int64.ts';

/**
 * Reads the parameters of the list.
 * @param query what follows the question mark, without it.
 * @throws ApiError `invalid_parameter`, naming the parameter
 */
export function parsePetQuery(query: string): PetQuery {
  const given = readQuery(query, ['limit', 'status', 'after']);
  return {
    limit: integerParameter(given, 'limit', PAGE_SIZE),
    status: enumParameter(given, 'status', PET_STATUSES),
    after: parseAfter(given.get('after')),
  };
}

function parseAfter(value: string | undefined): number {
  if (value === undefined) return 0;
  if (/^(?:0|[1-9]\d{0,18})$/.test(value) && BigInt(value) <= INT64_MAX) {
    // Ids stay below this bound, so a greater one asks for the same empty page.
    return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
  }
  throw invalidParameter(
    'after',
    'must be the id of an animal; follow the Link header of the last page',
  );
}
