import { ApiError } from '../core/errors.ts';
import { INT64_MAX } from '../core/int64.ts';
import { PAGE_SIZE, PET_STATUSES, type PetQuery, type PetStatus } from '../core/pets.ts';

const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,18})$/;

/**
 * Reads the parameters of the list.
 * @param query what follows the question mark, without it.
 * @throws ApiError `invalid_parameter`, naming the parameter
 */
export function parsePetQuery(query: string): PetQuery {
  if (query === '') return { limit: PAGE_SIZE.default, after: 0 };
  const parameters = new URLSearchParams(query);
  return {
    limit: parseLimit(single(parameters, 'limit')),
    status: parseStatus(single(parameters, 'status')),
    after: parseAfter(single(parameters, 'after')),
  };
}

function single(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = parameters.getAll(name);
  if (others.length > 0) throw invalid(name, 'is given twice. Give it once');
  return value;
}

function parseLimit(value: string | undefined): number {
  if (value === undefined) return PAGE_SIZE.default;
  const { minimum, maximum } = PAGE_SIZE;
  const limit = WHOLE_NUMBER.test(value) ? Number(value) : Number.NaN;
  if (limit >= minimum && limit <= maximum) return limit;
  throw invalid('limit', `must be a whole number from ${minimum} to ${maximum}`);
}

function parseStatus(value: string | undefined): PetStatus | undefined {
  const status = PET_STATUSES.find((known) => known === value);
  if (value === undefined || status) return status;
  throw invalid('status', `must be one of ${PET_STATUSES.join(', ')}`);
}

function parseAfter(value: string | undefined): number {
  if (value === undefined) return 0;
  if (WHOLE_NUMBER.test(value) && BigInt(value) <= INT64_MAX) {
    // Ids stay below this bound, so a greater one asks for the same empty page.
    return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
  }
  throw invalid('after', 'must be the id of an animal; follow the Link header of the last page');
}

function invalid(name: string, problem: string): ApiError {
  return new ApiError('invalid_parameter', `The parameter "${name}" ${problem}.`);
}
