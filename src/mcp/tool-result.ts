import type { CallToolResult } from '@modelcontextprotocol/server';
import { ErrorBody } from '../api/openapi/schemas.ts';
import { type ApiErrorBody, ERRORS } from '../core/errors.ts';
import { parseStrictJson } from '../http/body/strict-json.ts';
import type { Success } from '../http/operation.ts';
import { type ApiTool, argumentName, hasEntityTag } from './api-tools.ts';
import { toToolValue } from './tool-schemas.ts';

/** Fields of a JSON object. */
type Fields = Readonly<Record<string, unknown>>;

/** The result of a tool for a reply of the API: the body, or the Error body, and details from the headers. */
export async function toolResult(tool: ApiTool, reply: Response): Promise<CallToolResult> {
  const { headers, ok } = reply;
  const { success } = tool.operation;
  const body = await bodyOf(reply, success);
  if (body === undefined || (!ok && !isErrorBody(body))) return foreignReply(tool, reply);
  return structured(!ok, {
    ...(ok ? resultOf(body, success) : { error: toToolValue(body, ErrorBody) }),
    ...nextPage(tool, headers),
    ...(ok && hasEntityTag(tool.operation) && entityTagOf(headers)),
    ...(headers.has('idempotent-replayed') && { replayed: true }),
    ...circumstances(headers),
  });
}

/** `undefined` for a body that is not one of the API. */
async function bodyOf(reply: Response, { schema }: Success): Promise<unknown> {
  const bytes = await reply.bytes();
  if (schema || !reply.ok) return readBody(bytes);
  return reply.status === 204 ? {} : undefined;
}

function resultOf(body: unknown, { schema }: Success): Fields {
  return schema ? { result: toToolValue(body, schema) } : {};
}

/** The result of a call that fails with an error of the tools themselves, and further fields. */
export function refusedCall({ code, message }: ApiErrorBody, more: Fields = {}): CallToolResult {
  return structured(true, { error: { code, message, status: ERRORS[code].status }, ...more });
}

/**
 * The result of a call without a complete reply.
 * @param headers of the reply, if they arrived.
 */
export function unansweredCall(
  { baseUrl, operation }: ApiTool,
  headers = new Headers(),
): CallToolResult {
  const failure = headers.has('content-type') ? 'sent only part of its reply' : 'does not answer';
  const advice = operation.method === 'GET' ? 'then try again' : UNCERTAIN;
  const message = `${baseUrl} ${failure}. Check the address and whether the service is running, ${advice}.`;
  return unavailable(message, headers);
}

const UNCERTAIN = 'and whether the call was carried out before you repeat it';

/** The result if the reply cannot be read: it is damaged, or comes from something else, such as a proxy. */
function foreignReply(
  { baseUrl, operation }: ApiTool,
  { status, headers }: Response,
): CallToolResult {
  const isRefusal = status >= 300 && status < 500;
  const isCertain = operation.method === 'GET' || isRefusal;
  const advice = isCertain
    ? 'Check the address, then try again.'
    : `The call may have been carried out. Check the address, ${UNCERTAIN}.`;
  const message = `The reply from ${baseUrl} is damaged, or not one of the API (status ${status}). ${advice}`;
  return unavailable(message, headers);
}

/** A 503 of the tools themselves, with a wait like that of the API's 503. */
function unavailable(message: string, headers: Headers): CallToolResult {
  return refusedCall(
    { code: 'unavailable', message },
    { retryAfter: 1, ...circumstances(headers) },
  );
}

/** The text repeats the structured content, for clients that do not read the latter. */
function structured(isError: boolean, structuredContent: Fields): CallToolResult {
  const content = [{ type: 'text' as const, text: JSON.stringify(structuredContent) }];
  return { content, structuredContent, ...(isError && { isError }) };
}

function readBody(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes);
  } catch {
    return undefined;
  }
}

function isErrorBody(body: unknown): boolean {
  return ErrorBody.required.every((field) => Object.hasOwn(Object(body), field));
}

/** The arguments of the next page, from the `Link` to it. */
function nextPage({ operation }: ApiTool, headers: Headers): Fields {
  const [, address] = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
  const query = address === undefined ? undefined : URL.parse(address)?.searchParams;
  if (!operation.pagination || !query) return {};
  const given = operation.parameters.flatMap((parameter) => {
    const value = query.get(parameter.name);
    if (parameter.in !== 'query' || value === null) return [];
    const { type, format } = parameter.schema;
    const isNumber = type === 'integer' && format !== 'int64';
    return [[argumentName(parameter), isNumber ? Number(value) : value] as const];
  });
  return { nextPage: Object.fromEntries(given) };
}

function entityTagOf(headers: Headers): Fields {
  return headers.has('etag') ? { entityTag: headers.get('etag') } : {};
}

/** The details that a result repeats from the headers of any reply. */
function circumstances(headers: Headers): Fields {
  const wait = retryAfterSeconds(headers.get('retry-after') ?? '');
  return {
    ...(wait !== undefined && { retryAfter: wait }),
    ...rateLimit(headers),
    ...(headers.has('x-request-id') && { requestId: headers.get('x-request-id') }),
  };
}

/** A proxy may send a date, which is ignored, or add its own number: then the longer wait counts. */
function retryAfterSeconds(field: string): number | undefined {
  const waits = field.split(',').filter((item) => /^\s*\d+\s*$/.test(item));
  if (waits.length === 0) return undefined;
  return Math.min(Math.max(...waits.map(Number)), Number.MAX_SAFE_INTEGER);
}

/** The limits in the headers, which every reply of the API has. */
function rateLimit(headers: Headers): Fields {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    headers.get(`x-ratelimit-${name}`),
  );
  const minute = windowOf('minute', headers);
  const day = windowOf('day', headers);
  if (!limit || !remaining || !reset || !minute || !day) return {};
  const state = { limit: Number(limit), remaining: Number(remaining), reset: Number(reset) };
  return { rateLimit: { ...state, minute, day } };
}

function windowOf(name: string, headers: Headers): Fields | undefined {
  const state = new RegExp(`"${name}";r=(\\d+);t=(\\d+)`).exec(headers.get('ratelimit') ?? '');
  const policy = new RegExp(`"${name}";q=(\\d+)`).exec(headers.get('ratelimit-policy') ?? '');
  if (!state || !policy) return undefined;
  return { limit: Number(policy[1]), remaining: Number(state[1]), resetIn: Number(state[2]) };
}
