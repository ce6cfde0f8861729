import { messageFor } from '../core/errors.ts';
import type { KeyRecord } from '../core/keys/api-keys.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import type { Instant } from '../lib/clock.ts';
import type { Api } from './api.ts';
import { acceptPatch } from './body/media-type.ts';
import type { RequestContext } from './handler.ts';
import { isRemoved } from './lifecycle.ts';
import type { Operation } from './operation.ts';
import { isPreflight, preflightHeaders } from './reply/cross-origin.ts';
import { BAD_HOST, BAD_TARGET } from './reply/error-replies.ts';
import { problemReply, type Reply } from './reply/reply.ts';
import { readParameters } from './target/parameters.ts';
import {
  DOCUMENT_PATH,
  type OperationMatch,
  type ServedOperation,
} from './target/served-operations.ts';
import type { ApiTarget } from './target/targets.ts';

/**
 * The reply to requests that need no key and use no quota: for the OpenAPI documents, and the preflight that
 * a browser sends before a request to another origin (CORS).
 */
export function publicReply(
  { api, path, match, problem }: ApiTarget,
  request: Request,
): Awaitable<Reply> | undefined {
  const { method } = request;
  if (isPreflight(request)) {
    const allow = match?.route.allow ?? 'OPTIONS';
    const headers = preflightHeaders(request, allow, api.simulations !== undefined);
    return { status: 204, headers };
  }
  if (problem === BAD_HOST || problem === BAD_TARGET) return undefined;
  const document = api.documents.get(path);
  return document && (method === 'GET' || method === 'HEAD') ? document() : undefined;
}

type AdmittedRequest = Pick<RequestContext, 'key' | 'request' | 'now'>;

/** What a handler receives. */
class DispatchedRequest implements RequestContext<Operation> {
  readonly key: KeyRecord;
  readonly request: Request;
  readonly now: Instant;
  readonly query: string;
  readonly #operation: Operation;
  readonly #path: Readonly<Record<string, string>>;

  constructor(operation: Operation, target: ApiTarget, { key, request, now }: AdmittedRequest) {
    this.key = key;
    this.request = request;
    this.now = now;
    this.query = target.query;
    this.#operation = operation;
    this.#path = target.match?.parameters ?? {};
  }

  get parameters(): Readonly<Record<string, unknown>> {
    const { headers } = this.request;
    return readParameters(this.#operation, { path: this.#path, query: this.query, headers });
  }
}

/**
 * Runs the handler of the requested operation; after its sunset the reply is `operation_removed`. May throw
 * `ApiError`.
 * @param served `undefined` where no operation is served.
 */
export function dispatch(
  target: ApiTarget,
  served: ServedOperation | undefined,
  admitted: AdmittedRequest,
): Awaitable<Reply> {
  const { api, match } = target;
  if (!served) return unservedReply(api, admitted.request.method, match);
  const { deprecation } = served;
  if (!deprecation || !isRemoved(deprecation, admitted.now)) {
    return served.handle(new DispatchedRequest(served, target, admitted));
  }
  const values = { operation: served.id, successor: api.baseUrl + deprecation.successor };
  const message = messageFor('operation_removed', values);
  return problemReply({ code: 'operation_removed', message });
}

/** The reply where no operation is served: an unknown path, an unknown method, or OPTIONS. */
function unservedReply(api: Api, method: string, match: OperationMatch | undefined): Reply {
  if (!match) {
    const message = messageFor('not_found', { document: api.baseUrl + DOCUMENT_PATH });
    return problemReply({ code: 'not_found', message });
  }
  const { allow, operations } = match.route;
  if (method === 'OPTIONS') {
    const patch = operations.get('PATCH');
    return { status: 204, headers: { Allow: allow, ...(patch && acceptPatch(patch)) } };
  }
  const message = messageFor('method_not_allowed', { method, allow });
  return problemReply({ code: 'method_not_allowed', message }, { Allow: allow });
}
