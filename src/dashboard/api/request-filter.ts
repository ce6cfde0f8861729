import { ENVIRONMENTS, type Environment } from '../../core/environments.ts';
import { parseStatuses, STATUS_EXPECTATION } from '../../core/request-json.ts';
import type { RequestFilter } from '../../core/request-log.ts';
import { INSTANT_RULE, parseInstant } from '../../lib/instant.ts';
import { DashboardError } from '../errors.ts';

/** Maximum length of a search text. */
const LONGEST = 200;

/** Reads the filters of a query. @throws ApiError `invalid` */
export function requestFilter(query: URLSearchParams): RequestFilter {
  const status = given(query, 'status');
  return {
    environment: environmentIn(query),
    keyId: given(query, 'key'),
    status: status === undefined ? undefined : statusesOf(status),
    code: given(query, 'code'),
    path: given(query, 'path'),
    from: momentIn(query, 'from'),
    to: momentIn(query, 'to'),
    requestId: given(query, 'id'),
  };
}

/** A parameter, trimmed; `undefined` if it is empty. */
function given(query: URLSearchParams, name: string): string | undefined {
  const value = query.get(name)?.trim() ?? '';
  if (value.length > LONGEST) {
    throw new DashboardError('invalid', `"${name}" may have ${LONGEST} characters.`);
  }
  return value === '' ? undefined : value;
}

function environmentIn(query: URLSearchParams): Environment | undefined {
  const name = given(query, 'environment');
  const found = ENVIRONMENTS.find((each) => each === name);
  if (name === undefined || found) return found;
  throw new DashboardError('invalid', `"environment" must be one of: ${ENVIRONMENTS.join(', ')}.`);
}

function statusesOf(text: string): RequestFilter['status'] {
  const statuses = parseStatuses(text);
  if (statuses) return statuses;
  throw new DashboardError('invalid', `"status" must be ${STATUS_EXPECTATION}.`);
}

function momentIn(query: URLSearchParams, name: string): number | undefined {
  const text = given(query, name);
  if (text === undefined) return undefined;
  const moment = parseInstant(text);
  if (moment !== undefined) return moment;
  throw new DashboardError('invalid', `"${name}" must be ${INSTANT_RULE}.`);
}
