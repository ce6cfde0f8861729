import type { LoggedRequest, RequestFilter } from './request-log.ts';

const MICROS = 1_000;

/** An entry of the request log as programs read it: in the output of commands and in downloads. */
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

/** What a filter by status may be. */
export const STATUS_EXPECTATION = 'a status such as 404, or a class such as 4xx';

/** The statuses that `404` or `4xx` stands for; `undefined` for anything else. */
export function parseStatuses(text: string): RequestFilter['status'] {
  const [, first = '', rest = ''] = /^([1-5])(xx|\d\d)$/i.exec(text) ?? [];
  if (first === '') return undefined;
  if (/^\d/.test(rest)) return [Number(first + rest), Number(first + rest)];
  return [Number(first) * 100, Number(first) * 100 + 99];
}
