import { ApiError, ERRORS, type Problem } from '../core/errors.ts';
import type { QuotaCaller } from '../core/limiter.ts';
import type { RateLimitResult } from '../core/rate-limit.ts';
import { type Awaitable, attempt, then } from '../lib/awaitable.ts';
import type { Clock, Instant } from '../lib/clock.ts';
import type { AddressRange } from '../lib/ip-address.ts';
import type { Api } from './api.ts';
import { anonymous, type Caller, identifyCaller } from './authentication.ts';
import { BaseAddresses } from './base-addresses.ts';
import { clientAddress } from './client-address.ts';
import { dispatch, uncountedReply } from './dispatch.ts';
import { BAD_HOST, challengeReply, INTERNAL_ERROR, limitReply } from './error-replies.ts';
import { problemReply, type Reply, ReplyWriter } from './reply.ts';
import { REQUEST_ID_HEADER, requestId } from './request-id.ts';
import { parseTarget } from './request-target.ts';
import { DOCUMENT_PATH, type OperationMatch } from './served-operations.ts';

/** What the service tells about its work. */
export interface ServiceLog {
  /** One line per request, when somebody debugs. `took` is in ms. */
  request?(request: Request, requestId: string, status: number, took: number): void;
  /** A failure whose cause clients do not see. */
  failure(error: unknown, requestId: string): void;
}

/** Counts what the service does; must not wait. */
export interface ServiceMetrics {
  /**
   * @param operation of the contract, or `none` where no operation is.
   * @param took ms
   */
  replied(
    operation: string,
    status: number,
    outcome: RateLimitResult['outcome'],
    took: number,
  ): void;
}

export interface ServiceOptions {
  /** Requests outside of every base address count in the first. */
  readonly sites: readonly Api[];
  readonly pages?: Pages | undefined;
  /** Proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly AddressRange[];
  readonly clock: Clock;
  readonly log: ServiceLog;
  readonly metrics: ServiceMetrics;
}

interface ReceivedRequest {
  readonly request: Request;
  /** Names the request in the reply and in the log. */
  readonly id: string;
  readonly now: Instant;
  /** The client's address; worked out only when it is asked for. */
  readonly address: () => string;
}

interface ApiTarget {
  readonly site: Api;
  /** Below the site's base address. */
  readonly path: string;
  readonly query: string;
  /** Why nothing can be there: it is outside of every base address, or its host makes no sense. */
  readonly problem?: Problem;
}

interface PageTarget {
  readonly pages: Pages;
  readonly path: string;
}

interface Outcome {
  readonly reply: Reply;
  readonly limits: RateLimitResult;
}

/** What requests are counted as that ask for no operation. */
const NO_OPERATION = 'none';

/** Pages for people, below a base address of their own; not part of the API. */
export interface Pages {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /**
   * Never throws, and never rejects.
   * @param path below the base address.
   * @param address gives the client's address.
   */
  handle(request: Request, path: string, address: () => string): Awaitable<Response>;
}

/** Answers every request that the HTTP parser lets through: caller, quota, operation, reply. */
export class HttpService {
  readonly #options: ServiceOptions;
  readonly #places: BaseAddresses<Api | Pages>;
  readonly #replies = new ReplyWriter();

  constructor(options: ServiceOptions) {
    const { sites, pages } = options;
    this.#options = options;
    this.#places = new BaseAddresses(
      [...sites, ...(pages ? [pages] : [])].map((place) => [place.baseUrl, place]),
    );
  }

  /**
   * Never throws, and never rejects.
   * @param peer gives the address of the other end of the connection.
   */
  handle(request: Request, peer: () => string | undefined): Awaitable<Response> {
    const { clock, trustedProxies } = this.#options;
    const now = clock.now();
    const address = () =>
      clientAddress(peer() ?? '', request.headers.get('x-forwarded-for'), trustedProxies);
    const id = requestId(request.headers.get(REQUEST_ID_HEADER));
    const place = this.#locate(request);
    if (!place) return this.#nowhere();
    if ('pages' in place) return this.#showPage({ request, id, now, address }, place);
    const match = place.problem ? undefined : place.site.routes.match(place.path);
    const received = { request, id, now, address };
    return then(this.#answer(received, place, match), (answer) => {
      const operation = match?.route.operations.get(request.method)?.id ?? NO_OPERATION;
      return this.#reply(received, answer, operation);
    });
  }

  /** The pattern of the path that is asked for, such as `/v1/pets/{petId}`; none outside of the API. */
  routeOf(request: Request): string | undefined {
    const place = this.#locate(request);
    if (!place || 'pages' in place || place.problem) return undefined;
    const { site, path } = place;
    const match = site.routes.match(path);
    return match && new URL(site.baseUrl).pathname.replace(/\/$/, '') + match.route.path;
  }

  #nowhere(): Response {
    const message = `Nothing is served here. The dashboard is at ${this.#options.pages?.baseUrl}.`;
    const { status, body } = problemReply({ code: 'not_found', message });
    return new Response(body, { status, headers: { 'Content-Type': 'application/json' } });
  }

  #showPage(
    { request, id, now, address }: ReceivedRequest,
    { pages, path }: PageTarget,
  ): Awaitable<Response> {
    const { clock, log } = this.#options;
    return then(pages.handle(request, path, address), (response) => {
      response.headers.set(REQUEST_ID_HEADER, id);
      log.request?.(request, id, response.status, clock.now().elapsed - now.elapsed);
      return response;
    });
  }

  #reply(
    { request, id, now }: ReceivedRequest,
    { reply, limits }: Outcome,
    operation: string,
  ): Response {
    const { clock, log, metrics } = this.#options;
    const took = clock.now().elapsed - now.elapsed;
    metrics.replied(operation, reply.status, limits.outcome, took);
    log.request?.(request, id, reply.status, took);
    return this.#replies.write(reply, limits, now, id, request.headers.has('origin'));
  }

  #answer(
    { request, id, now, address }: ReceivedRequest,
    { site, path, query, problem }: ApiTarget,
    match: OperationMatch | undefined,
  ): Awaitable<Outcome> {
    const uncounted = problem === BAD_HOST ? undefined : uncountedReply(site, request, path, match);
    if (uncounted) return unlimited(site, now, anonymous(site, address()), uncounted);
    if (problem) return limited(site, now, anonymous(site, address()), () => problemReply(problem));
    const caller = attempt<Caller>(
      () => identifyCaller(site, request.headers.get('authorization'), address),
      (error) => ({ quota: anonymous(site, address()), problem: this.#problemOf(error, id) }),
    );
    const onError = (error: unknown) => problemReply(this.#problemOf(error, id));
    return then(caller, (caller) => {
      if ('problem' in caller) {
        const { quota, problem } = caller;
        // Whether the key is valid is not known: its holder must not use up what its address has.
        if (problem.code === 'unavailable')
          return unlimited(site, now, quota, problemReply(problem));
        return limited(site, now, quota, () => challengeReply(problem));
      }
      const { key } = caller;
      const handle = () =>
        attempt(() => dispatch(site, { key, request, now, query }, match, onError), onError);
      return then(limited(site, now, caller.quota, handle), (answer) => {
        site.recordUse(key, answer.reply.status, now.wall);
        return answer;
      });
    });
  }

  #locate({ url, headers }: Request): ApiTarget | PageTarget | undefined {
    const target = parseTarget(url, headers.get('host'));
    const located = target && this.#places.locate(target);
    if (located) {
      const { value, path } = located;
      return 'handle' in value
        ? { pages: value, path }
        : { site: value, path, query: target.query };
    }
    const [site] = this.#options.sites;
    if (!site) return undefined;
    const message = `Nothing is served here. The API is described at ${site.baseUrl}${DOCUMENT_PATH}.`;
    const problem: Problem = target ? { code: 'not_found', message } : BAD_HOST;
    return { site, path: '', query: '', problem };
  }

  #problemOf(error: unknown, id: string): Problem {
    if (!(error instanceof ApiError)) {
      this.#options.log.failure(error, id);
      return INTERNAL_ERROR;
    }
    const problem: Problem = error;
    if (ERRORS[problem.code].status >= 500) this.#options.log.failure(error, id);
    return problem;
  }
}

/** Takes nothing from the caller's quota. */
function unlimited(site: Api, now: Instant, caller: QuotaCaller, reply: Reply): Awaitable<Outcome> {
  return then(site.limiterOf(caller).peek(caller, now), (limits) => ({ reply, limits }));
}

/** Takes the request from the caller's quota; only what is admitted is carried out. */
function limited(
  site: Api,
  now: Instant,
  caller: QuotaCaller,
  handle: () => Awaitable<Reply>,
): Awaitable<Outcome> {
  return then(site.limiterOf(caller).take(caller, now), (limits) => {
    const reply = limits.outcome === 'admitted' ? handle() : limitReply(caller, limits);
    return then(reply, (reply) => ({ reply, limits }));
  });
}
