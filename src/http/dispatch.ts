import { type Awaitable, attempt, then } from '../lib/awaitable.ts';
import type { Api } from './api.ts';
import { isRemoved } from './deprecation.ts';
import type { RequestContext } from './handler.ts';
import { problemReply, type Reply } from './reply.ts';
import { REQUEST_ID_HEADER } from './request-id.ts';
import { DOCUMENT_PATH, type OperationMatch } from './served-operations.ts';

const ALLOWED_REQUEST_HEADERS = `Authorization, Content-Type, Idempotency-Key, ${REQUEST_ID_HEADER}`;
const PREFLIGHT_MAX_AGE_SECONDS = '86400';

/**
 * What is answered without a key and without being counted: the OpenAPI document, and the preflight
 * that a browser sends before a request to another origin (CORS).
 */
export function uncountedReply(
  site: Api,
  request: Request,
  path: string,
  match: OperationMatch | undefined,
): Reply | undefined {
  const { method, headers } = request;
  if (path === DOCUMENT_PATH && (method === 'GET' || method === 'HEAD')) {
    return { status: 200, body: site.document() };
  }
  const isPreflight =
    method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method');
  if (!isPreflight) return undefined;
  return {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': match?.route.allow ?? 'OPTIONS',
      'Access-Control-Allow-Headers': ALLOWED_REQUEST_HEADERS,
      'Access-Control-Max-Age': PREFLIGHT_MAX_AGE_SECONDS,
    },
  };
}

/**
 * Carries out the operation that the path and the method ask for.
 * @param match what the path leads to, if anything.
 * @param onError turns what the operation throws into a reply.
 */
export function dispatch(
  site: Api,
  context: Omit<RequestContext, 'parameters'>,
  match: OperationMatch | undefined,
  onError: (error: unknown) => Reply,
): Awaitable<Reply> {
  if (!match) {
    const message = `Nothing is served at this path. The API is described at ${site.baseUrl}${DOCUMENT_PATH}.`;
    return problemReply({ code: 'not_found', message });
  }
  const { route, parameters } = match;
  const { method } = context.request;
  if (method === 'OPTIONS') return { status: 204, headers: { Allow: route.allow } };
  const served = route.operations.get(method);
  if (!served) {
    const message = `This path does not serve ${method}. It serves ${route.allow}.`;
    return problemReply({ code: 'method_not_allowed', message }, { Allow: route.allow });
  }
  const { deprecation } = served;
  const run = () => attempt(() => served.handle({ ...context, parameters }), onError);
  if (!deprecation) return run();
  const headers = served.deprecationHeaders;
  if (isRemoved(deprecation, context.now)) {
    const message = `${served.id} was removed. Use ${site.baseUrl}${deprecation.successor} instead.`;
    return problemReply({ code: 'operation_removed', message }, headers);
  }
  return then(run(), (reply) => ({ ...reply, headers: { ...reply.headers, ...headers } }));
}
