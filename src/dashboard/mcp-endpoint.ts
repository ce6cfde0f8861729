import {
  createMcpHandler,
  INVALID_REQUEST,
  isLegacyRequest,
  PARSE_ERROR,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { ENVIRONMENTS, type Environment } from '../core/environments.ts';
import { ApiError, type ApiErrorBody, ERRORS, type ErrorCode, messageFor } from '../core/errors.ts';
import type { ApiKeyService } from '../core/keys/api-key-service.ts';
import type { KeyRecord } from '../core/keys/api-keys.ts';
import { bearerToken } from '../http/authentication.ts';
import { MAX_BODY_BYTES, readJsonBody } from '../http/body/json-body.ts';
import { acceptsJson } from '../http/reply/accept.ts';
import type { Forward } from '../http/target/targets.ts';
import { SECOND } from '../lib/clock.ts';
import { lazyValue } from '../lib/lazy.ts';
import { messageIdProblem } from '../mcp/message-id.ts';
import { toToolValue } from '../mcp/tool-schemas.ts';
import {
  type ApiConnection,
  createToolServer,
  HTTP_REVISIONS,
  listTools,
  type ToolList,
} from '../mcp/tool-server.ts';
import { DashboardError, UNCACHED } from './errors.ts';
import type { DashboardOptions, Pages } from './options.ts';
import { type RequestLimits, tooManyRequests } from './request-limits.ts';

/** Maximum size of a message, in bytes: the largest body of the API plus the JSON-RPC envelope. */
const MAX_MESSAGE_BYTES = MAX_BODY_BYTES + 16 * 1024;

/** Timeout for replies of the API if another process serves it, in ms. */
const REPLY_TIMEOUT = 30 * SECOND;

/** Serves one request at the address of the tools. */
type ServeMessage = (
  request: Request,
  address: () => string,
  forward: Forward,
) => ReturnType<Pages['handle']>;

/**
 * The tools of the Model Context Protocol over streamable HTTP. There are no sessions: any process
 * can serve any request.
 */
export function createMcpEndpoint(
  { addresses, contract, stores, clock, log }: DashboardOptions,
  requestLimits: RequestLimits,
): ServeMessage {
  const lists: Readonly<Record<Environment, () => ToolList>> = {
    production: lazyValue(() => listTools('production', addresses, contract)),
    staging: lazyValue(() => listTools('staging', addresses, contract)),
  };
  const failed = (error: unknown) => log.error({ err: error }, 'the API does not reply to a tool');
  return async (request, address, forward) => {
    refuseForeignOrigin(request, addresses.dashboard);
    const authorization = request.headers.get('authorization');
    const key = await findKey(authorization, stores.apiKeyService);
    const now = clock.now();
    const limits = await requestLimits.takeMessage(key, address, now);
    if (limits.outcome !== 'admitted') throw tooManyRequests(limits, now);
    const send: ApiConnection['send'] = (sent, signal) => sendToApi(sent, forward, signal);
    if (authorization === null || !key) {
      return refusalOfApi(addresses.quickstart, authorization, send);
    }
    if (request.method !== 'POST') return methodNotAllowed(request.method);
    const connection = { authorization, send, failed };
    return serveMessage(request, lists[key.environment](), connection, log);
  };
}

async function serveMessage(
  request: Request,
  list: ToolList,
  connection: ApiConnection,
  log: DashboardOptions['log'],
): Promise<Response> {
  let body: unknown;
  try {
    body = await readJsonBody(request, MAX_MESSAGE_BYTES);
  } catch (error) {
    if (error instanceof ApiError && isErrorCode(error.code)) {
      return unreadable(PARSE_ERROR, { code: error.code, message: error.message });
    }
    throw error;
  }
  const problem = problemOf(body);
  if (problem) return unreadable(INVALID_REQUEST, { code: 'invalid_body', message: problem });
  const message = toToolValue(body);
  let failure: unknown;
  const reply = await handleMessage(request, message, list, connection, (error) => {
    failure = error;
  });
  if (reply.status >= 500) log.error({ err: failure }, 'a message to the tools failed');
  reply.headers.set('Cache-Control', UNCACHED['Cache-Control']);
  return reply;
}

/** A description of the problem with a message; `undefined` if the library may read it. */
function problemOf(body: unknown): string | undefined {
  if (Array.isArray(body)) return 'Send one message in each request: batches are not served.';
  return messageIdProblem(Object(body).id);
}

/** Handles one message according to its revision of the protocol. */
async function handleMessage(
  request: Request,
  message: unknown,
  list: ToolList,
  connection: ApiConnection,
  onerror: (error: Error) => void,
): Promise<Response> {
  const createServer = () => createToolServer(list, connection, HTTP_REVISIONS);
  if (!(await isLegacyRequest(request, message))) {
    const handler = createMcpHandler(createServer, { legacy: 'reject', onerror });
    return handler.fetch(request, { parsedBody: message });
  }
  if (!acceptsJson(request.headers.get('accept'))) return notAcceptable();
  // The library's own handler would reply with streams, which proxies may buffer.
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  transport.onerror = onerror;
  const server = createServer();
  await server.connect(transport);
  try {
    return await transport.handleRequest(forTransport(request), { parsedBody: message });
  } finally {
    await server.close();
  }
}

/**
 * The request as the library's transport demands it: it refuses clients that do not name both types of reply, although
 * it sends JSON alone here.
 */
function forTransport({ url, method, headers, signal }: Request): Request {
  const demanded = new Headers(headers);
  demanded.set('Accept', 'application/json, text/event-stream');
  return new Request(url, { method, headers: demanded, signal });
}

/** The reply to a client that does not accept JSON, in the form of the library's other refusals. */
function notAcceptable(): Response {
  const error = { code: -32_000, message: 'Replies are JSON. Send Accept: application/json.' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 406, headers: UNCACHED });
}

/**
 * Refuses requests of other sites' pages, as the protocol demands against DNS rebinding. Programs
 * send no `Origin`.
 * @throws ApiError `forbidden`
 */
function refuseForeignOrigin({ headers }: Request, dashboardUrl: string): void {
  const origin = headers.get('origin');
  if (origin === null || origin === new URL(dashboardUrl).origin) return;
  const message = `Pages of other sites cannot use the tools. Send no Origin, or that of ${dashboardUrl}.`;
  throw new DashboardError('other_site', message);
}

/** `undefined` without a valid key, and if keys cannot be looked up. */
async function findKey(
  authorization: string | null,
  apiKeyService: ApiKeyService,
): Promise<KeyRecord | undefined> {
  const token = bearerToken(authorization ?? '');
  if (token === undefined) return undefined;
  try {
    // In real time, like the API of the sandbox, which can set back the clock on which a key has expired.
    const key = await apiKeyService.authenticate(token, ENVIRONMENTS, true);
    return 'code' in key ? undefined : key;
  } catch {
    // The API runs into the same failure, logs it and replies.
    return undefined;
  }
}

/**
 * The reply of the API to a request without a valid key. The API counts it towards the client's
 * address.
 * @param baseUrl of the quickstart, which takes keys of either environment.
 */
async function refusalOfApi(
  baseUrl: string,
  authorization: string | null,
  send: ApiConnection['send'],
): Promise<Response> {
  const headers = new Headers({ Host: new URL(baseUrl).host, 'Accept-Encoding': 'identity' });
  if (authorization !== null) headers.set('Authorization', authorization);
  try {
    const sent = new Request(`${baseUrl}/`, { headers, redirect: 'manual' });
    const reply = await send(sent, AbortSignal.timeout(REPLY_TIMEOUT));
    return new Response(await reply.bytes(), { status: reply.status, headers: reply.headers });
  } catch (cause) {
    throw new DashboardError('unavailable', messageFor('unavailable'), { cause });
  }
}

/** Sends a request to the API of this process, or over the network where another one serves it. */
async function sendToApi(
  request: Request,
  forward: Forward,
  signal: AbortSignal,
): Promise<Response> {
  const own = forward(request);
  if (own !== undefined) return own;
  return fetch(request, { signal: AbortSignal.any([signal, AbortSignal.timeout(REPLY_TIMEOUT)]) });
}

function methodNotAllowed(method: string): Response {
  const message = messageFor('method_not_allowed', { method, allow: 'POST' });
  const { status } = ERRORS.method_not_allowed;
  const body = { code: 'method_not_allowed', message, status };
  const headers = { ...UNCACHED, 'Content-Type': 'application/json', Allow: 'POST' };
  return Response.json(body, { status, headers });
}

/**
 * The reply to a body that is not a single JSON-RPC message: a JSON-RPC error with the Error body
 * as its data.
 */
function unreadable(code: number, { code: name, message }: ApiErrorBody): Response {
  const { status } = ERRORS[name];
  const error = { code, message, data: { code: name, message, status } };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status, headers: UNCACHED });
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
