import type { Insertable, Selectable } from 'kysely';
import type { LoggedLimits, LoggedRequest } from '../../core/requests/request-log.ts';
import type { Database } from '../schema/schema.ts';

/** A row to insert into the request log. */
export type RequestRow = Insertable<Database['request_log']>;

/** The columns of the request log, in the order in which they are inserted. */
export const REQUEST_COLUMNS = [
  ...(['account_id', 'id', 'at', 'request_id', 'environment', 'key_id', 'method', 'path'] as const),
  ...(['status', 'code', 'message', 'duration_micros', 'reply_bytes', 'address'] as const),
  ...(['user_agent', 'simulation', 'replayed', 'limits', 'not_recorded'] as const),
] as const satisfies ReadonlyArray<keyof RequestRow>;

export function rowFromRequest(request: LoggedRequest): RequestRow {
  return {
    account_id: request.accountId,
    id: request.id,
    at: request.at,
    request_id: request.requestId,
    environment: request.environment,
    key_id: request.keyId,
    method: request.method,
    path: request.path,
    status: request.status,
    code: request.code ?? null,
    message: request.message ?? null,
    duration_micros: request.durationMicros,
    reply_bytes: request.replyBytes,
    address: request.address,
    user_agent: request.userAgent ?? null,
    simulation: request.simulation ?? null,
    replayed: request.isReplayed ? 1 : 0,
    limits: limitsText(request.limits),
    not_recorded: request.notRecorded,
  };
}

export function requestFromRow(row: Selectable<Database['request_log']>): LoggedRequest {
  return {
    id: row.id,
    accountId: row.account_id,
    at: row.at,
    requestId: row.request_id,
    environment: row.environment,
    keyId: row.key_id,
    method: row.method,
    path: row.path,
    status: row.status,
    code: row.code ?? undefined,
    message: row.message ?? undefined,
    durationMicros: row.duration_micros,
    replyBytes: row.reply_bytes,
    address: row.address,
    userAgent: row.user_agent ?? undefined,
    simulation: row.simulation ?? undefined,
    isReplayed: row.replayed === 1,
    limits: parseLimits(row.limits),
    notRecorded: row.not_recorded,
  };
}

/** Limits as numbers in a fixed order, which takes a quarter of the space of JSON. */
function limitsText({ limit, remaining, reset, minute, day, retryAfter }: LoggedLimits): string {
  const windows = [minute, day].flatMap((each) => [each.limit, each.remaining, each.resetIn]);
  return [
    limit,
    remaining,
    reset,
    ...windows,
    ...(retryAfter === undefined ? [] : [retryAfter]),
  ].join(' ');
}

function parseLimits(text: string): LoggedLimits {
  const [limit = 0, remaining = 0, reset = 0, ...rest] = text.split(' ').map(Number);
  const window = (first: number) => {
    const [of = 0, left = 0, resetIn = 0] = rest.slice(first, first + 3);
    return { limit: of, remaining: left, resetIn };
  };
  return { limit, remaining, reset, minute: window(0), day: window(3), retryAfter: rest[6] };
}
