import { parseStatuses, STATUS_EXPECTATION } from '../../core/requests/request-json.ts';
import type { RequestFilter } from '../../core/requests/request-log.ts';
import { DashboardError } from '../errors.ts';
import { environmentIn, momentIn, textIn } from './query.ts';

/** Reads the filters of a query. @throws ApiError `invalid` */
export function requestFilter(query: URLSearchParams): RequestFilter {
  const status = textIn(query, 'status');
  return {
    environment: environmentIn(query),
    keyId: textIn(query, 'key'),
    status: status === undefined ? undefined : statusesOf(status),
    code: textIn(query, 'code'),
    path: textIn(query, 'path'),
    from: momentIn(query, 'from'),
    to: momentIn(query, 'to'),
    requestId: textIn(query, 'id'),
  };
}

function statusesOf(text: string): RequestFilter['status'] {
  const statuses = parseStatuses(text);
  if (statuses) return statuses;
  throw new DashboardError('invalid', `"status" must be ${STATUS_EXPECTATION}.`);
}
