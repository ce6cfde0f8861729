import type { LoggedRequest, RequestFilter } from './request-log.ts';

const MICROS = 1_000;

/** A request log entry as JSON, for the output of commands and for downloads. */
export function requestJson(request: LoggedRequest) {
  const { code, message, userAgent, simulation } = request;
  return {
    at: new Date(request.at).toISOString(),
    requestId: request.requestId,
    environment: request.environment,
    keyId: request.keyId,
    method: request.method,
    path: request.path,
    status: request.status,
    code: code ?? null,
    message: message ?? null,
    durationMs: request.durationMicros / MICROS,
    replyBytes: request.replyBytes,
    address: request.address,
    userAgent: userAgent ?? null,
    simulated: simulation !== undefined,
    simulation: simulation ?? null,
    replayed: request.isReplayed,
    notRecorded: request.notRecorded,
  };
}

/** The accepted values of a status filter, for users. */
export const STATUS_EXPECTATION = 'a status such as 404, or a class such as 4xx';

/** The range of statuses for a value such as `404` or `4xx`; `undefined` for an invalid value. */
export function parseStatuses(text: string): RequestFilter['status'] {
  const [, first = '', rest = ''] = /^([1-5])(xx|\d\d)$/i.exec(text) ?? [];
  if (first === '') return undefined;
  if (/^\d/.test(rest)) return [Number(first + rest), Number(first + rest)];
  return [Number(first) * 100, Number(first) * 100 + 99];
}
