import { ApiError, type ApiErrorBody, ERRORS } from '../core/errors.ts';
import type { KeyRecord } from '../core/keys/api-keys.ts';
import type { RateLimitResult } from '../core/limits/rate-limit.ts';
import type { SimulationStore } from '../core/sandbox/simulations.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import { type Instant, later } from '../lib/clock.ts';
import { lazyImport, lazyValue } from '../lib/lazy.ts';
import type { Api } from './api.ts';
import {
  type AuthenticatedCaller,
  addressCaller,
  authenticate,
  type Caller,
  unauthenticated,
} from './authentication.ts';
import { clientAddress } from './connection/client-address.ts';
import { dispatch, publicReply } from './dispatch.ts';
import type { ReceivedRequest } from './received-request.ts';
import { bareResponse, INTERNAL_ERROR, limitReply } from './reply/error-replies.ts';
import { problemReply, type Reply, ReplyWriter, withHeaders } from './reply/reply.ts';
import { selectRepresentation } from './reply/representation.ts';
import { sentReply } from './reply/sent-reply.ts';
import { REQUEST_ID_HEADER, requestId } from './request-id.ts';
import type { ServiceOptions } from './service-options.ts';
import { exposeSimulated, mayMeetSimulation } from './simulation/headers.ts';
import { noteCode } from './simulation/sent-instead.ts';
import type { ServedOperation } from './target/served-operations.ts';
import { type ApiTarget, type PageTarget, pathOf, Targets } from './target/targets.ts';

/** A request to the API with its caller. */
interface IdentifiedRequest {
  readonly received: ReceivedRequest;
  readonly target: ApiTarget;
  /** The requested operation, if there is one. */
  readonly served: ServedOperation | undefined;
  readonly caller: Caller;
  /** The moment of the request on the caller's clock. */
  readonly now: Instant;
}

const loadSimulate = lazyImport(() => import('./simulation/simulate.ts'));

/** The operation label of a request that names no operation. */
const NO_OPERATION = 'none';

/**
 * Handles every request that the HTTP parser accepts. Read it from top to bottom: `handle` finds what the
 * request is for, `#handleApi` authenticates and admits it, `#makeReply` dispatches it, and `#respond` sends the reply.
 * The methods below `#errorReply` are for rarer kinds of requests.
 */
export class HttpService {
  readonly #options: ServiceOptions;
  readonly #targets: Targets;
  readonly #writers = new Map<Api, ReplyWriter>();

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#targets = new Targets(options.apis, options.pages);
  }

  /**
   * Never throws, and never rejects.
   * @param server gives access to the connection of the request.
   * @param isTargetMalformed whether the target held a raw backslash, or could hold a hidden one.
   */
  handle(
    request: Request,
    server: Bun.Server<undefined>,
    isTargetMalformed: boolean,
  ): Awaitable<Response> {
    const { clock, trustedProxies } = this.#options;
    const { headers } = request;
    const received: ReceivedRequest = {
      request,
      id: requestId(headers.get(REQUEST_ID_HEADER)),
      receivedAt: clock.now(),
      address: lazyValue(() => {
        const peer = server.requestIP(request)?.address ?? '';
        return clientAddress(peer, headers.get('x-forwarded-for'), trustedProxies);
      }),
    };
    const target = isTargetMalformed ? this.#targets.malformed() : this.#targets.find(request);
    if ('pages' in target) return this.#handlePage(received, target);
    if (!target.api) return bareResponse(target.problem);
    return this.#handleApi(received, target);
  }

  /**
   * Handles a request to the API: authenticate, admit, dispatch, respond. A step whose result is ready
   * immediately returns no promise, and is not awaited.
   */
  async #handleApi(received: ReceivedRequest, target: ApiTarget): Promise<Response> {
    const { request, id, receivedAt, address } = received;
    const { api } = target;
    const unlimited = publicReply(target, request);
    if (unlimited !== undefined) return this.#respondWithoutQuota(received, target, unlimited);

    let caller: Caller;
    try {
      const found = authenticate(target, request, address);
      caller = found instanceof Promise ? await found : found;
    } catch (error) {
      // It is unknown whether the key is valid, so the request must not use the quota of the address.
      return this.#respondWithoutQuota(received, target, this.#errorReply(error, id));
    }
    const now = api.isRealTime ? receivedAt : timeOf(caller.key, receivedAt);
    const served = operationOf(target, request);
    const identified: IdentifiedRequest = { received, target, served, caller, now };
    if (caller.key && api.simulations && mayMeetSimulation(caller.key, request)) {
      return this.#simulate(identified, caller, api.simulations);
    }

    const { quota } = caller;
    const decision = api.limiterOf(quota).take(quota, now);
    if (decision instanceof Promise) this.#readAddress(identified);
    const limits = decision instanceof Promise ? await decision : decision;
    this.#options.metrics.recordDecision(limits.outcome);
    const reply = this.#makeReply(identified, limits);
    if (reply instanceof Promise) this.#readAddress(identified);
    return this.#respond(identified, reply instanceof Promise ? await reply : reply, limits);
  }

  /** Called before a wait: the address is unknown once the client has left, and a row of the request log shows it. */
  #readAddress({ received: { address, receivedAt }, caller: { key } }: IdentifiedRequest): void {
    if (key && this.#options.recorder?.mayRecord(key, receivedAt.elapsed)) address();
  }

  /** The reply to a request that the limiter decided with this result. */
  #makeReply(
    { received: { request, id }, target, served, caller, now }: IdentifiedRequest,
    limits: RateLimitResult,
  ): Awaitable<Reply> {
    if (limits.outcome !== 'admitted') return limitReply(caller, limits);
    if (!caller.key) return caller.reply;
    try {
      const handled = dispatch(target, served, { key: caller.key, request, now });
      if (!(handled instanceof Promise)) return handled;
      return handled.catch((error) => this.#errorReply(error, id));
    } catch (error) {
      return this.#errorReply(error, id);
    }
  }

  /** Sends a reply: adds what all replies have, and records it. */
  #respond(
    { received, target, served, caller: { key }, now }: IdentifiedRequest,
    reply: Reply,
    limits: RateLimitResult,
  ): Response {
    const { request, id, receivedAt } = received;
    const { clock, log, metrics, recorder } = this.#options;
    const complete = served?.lifecycleHeaders ? withHeaders(reply, served.lifecycleHeaders) : reply;
    const selected = selectRepresentation(complete, request);
    const { status } = selected;
    const operation = served?.id ?? NO_OPERATION;
    const took = clock.now().elapsed - receivedAt.elapsed;
    if (key) target.api.recordUsage(key, { operation, status, took, at: receivedAt.wall });
    metrics.recordResponse(operation, status, took);
    log.request?.(request, id, status, took);
    if (key && recorder) {
      const describe = () => sentReply(received, key, selected, limits, now, took);
      recorder.record(key, receivedAt.elapsed, status, describe);
    }
    const writer = this.#writerOf(target.api);
    return writer.write(selected, limits, now, id, request.headers.has('origin'));
  }

  #writerOf(api: Api): ReplyWriter {
    const known = this.#writers.get(api);
    if (known) return known;
    const writer = new ReplyWriter(api.baseUrl);
    this.#writers.set(api, writer);
    return writer;
  }

  /** The one place where an error becomes a reply; failures of the service are logged. */
  #errorReply(error: unknown, id: string): Reply {
    const problem: ApiErrorBody = error instanceof ApiError ? error : INTERNAL_ERROR;
    if (ERRORS[problem.code].status >= 500) this.#options.log.failure(error, id);
    return problemReply(problem, error instanceof ApiError ? error.headers : undefined);
  }

  /** Sends a reply that uses no quota; its headers show the limits of the client's address. */
  async #respondWithoutQuota(
    received: ReceivedRequest,
    target: ApiTarget,
    made: Awaitable<Reply>,
  ): Promise<Response> {
    const { request, id, receivedAt: now, address } = received;
    let reply: Reply;
    try {
      reply = await made;
    } catch (error) {
      reply = this.#errorReply(error, id);
    }
    const caller = unauthenticated(target.api, address, reply);
    const limits = await target.api.limiterOf(caller.quota).peek(caller.quota, now);
    const served = operationOf(target, request);
    return this.#respond({ received, target, served, caller, now }, reply, limits);
  }

  /** Admits and answers a request of staging that may meet a simulation. */
  async #simulate(
    identified: IdentifiedRequest,
    { key, quota }: AuthenticatedCaller,
    simulations: SimulationStore,
  ): Promise<Response> {
    const { received, target, served, now } = identified;
    const { request, id, receivedAt, address } = received;
    const { api, match } = target;
    const { connections, metrics, stability } = this.#options;
    const limiter = api.limiterOf(quota);
    const anonymous = addressCaller(api, address);
    const { simulate } = await loadSimulate();
    const { reply, limits, deliver } = await simulate({
      ...{ request, key, match, served, simulations, stability },
      baseUrl: api.baseUrl,
      take: async () => {
        const limits = await limiter.take(quota, now);
        metrics.recordDecision(limits.outcome);
        return limits;
      },
      peek: () => limiter.peek(quota, now),
      peekAddress: () => api.limiterOf(anonymous).peek(anonymous, receivedAt),
      makeReply: (limits) => this.#makeReply(identified, limits),
      errorReply: (error) => this.#errorReply(error, id),
      connections,
    });
    const response = this.#respond(identified, reply, limits);
    exposeSimulated(response.headers);
    return deliver ? noteCode(await deliver(response), reply.problem?.code) : response;
  }

  /** Handles a request for a page; the reply gets the request's id. */
  async #handlePage(received: ReceivedRequest, { pages, path }: PageTarget): Promise<Response> {
    const { request, id, receivedAt, address } = received;
    const { clock, log } = this.#options;
    const forward = (other: Request) => this.#forward(other, received);
    const response = await pages.handle(request, path, address, forward);
    response.headers.set(REQUEST_ID_HEADER, id);
    log.request?.(request, id, response.status, clock.now().elapsed - receivedAt.elapsed);
    return response;
  }

  /** See `Forward`: the request is counted and logged like one that the client sent to the API itself. */
  #forward(request: Request, { id, address }: ReceivedRequest): Awaitable<Response> | undefined {
    const target = this.#targets.find(request);
    if ('pages' in target || !target.api || target.problem) return undefined;
    return this.#handleApi({ request, id, receivedAt: this.#options.clock.now(), address }, target);
  }

  /** The paths that the API serves, with `{parameters}`. */
  get servedPaths(): Iterable<string> {
    return this.#targets.servedPaths();
  }

  /** The pattern of the requested path, such as `/v1/pets/{petId}`; `undefined` outside of the API. */
  routeOf(request: Request): string | undefined {
    const target = this.#targets.find(request);
    if ('pages' in target || !target.api || !target.match) return undefined;
    return pathOf(target.api.baseUrl) + target.match.route.path;
  }
}

/** The moment of a request on the clock of its account, which may be ahead in staging. */
function timeOf(key: KeyRecord | undefined, receivedAt: Instant): Instant {
  return key?.sandbox ? later(receivedAt, key.sandbox.clockOffset) : receivedAt;
}

/** The requested operation, if there is one. */
function operationOf({ match }: ApiTarget, { method }: Request): ServedOperation | undefined {
  return match?.route.operations.get(method);
}
