import type { BlockList } from 'node:net';
import type { Verdict } from '../core/admission.ts';
import { type Awaitable, attempt, then } from '../core/awaitable.ts';
import type { Clock, Instant } from '../core/clock.ts';
import { ApiError, ERRORS, type Problem } from '../core/errors.ts';
import type { QuotaCaller } from '../core/ports.ts';
import { clientAddress } from './address.ts';
import { BaseAddresses } from './base-addresses.ts';
import { anonymous, type Caller, identifyCaller } from './caller.ts';
import { carryOut, uncountedReply } from './dispatch.ts';
import { BAD_HOST, challengeReply, INTERNAL_ERROR, limitReply } from './problems.ts';
import { problemReply, type Reply, ReplyWriter } from './reply.ts';
import { DOCUMENT_PATH } from './routes.ts';
import type { Site } from './site.ts';
import { parseTarget } from './target.ts';

/** What the service tells about its work. */
export interface ServiceLog {
  /** One line per request, when somebody debugs. `took` is in ms. */
  request?(method: string, url: string, status: number, took: number): void;
  /** A failure whose cause clients do not see. */
  failure(error: unknown): void;
}

export interface ServiceOptions {
  /** At least one; requests outside of every base address count in the first. */
  readonly sites: readonly Site[];
  /** Proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: BlockList;
  readonly clock: Clock;
  readonly log: ServiceLog;
}

interface Exchange {
  readonly request: Request;
  readonly now: Instant;
  /** The client's address; worked out only when it is asked for. */
  readonly address: () => string;
}

interface Place {
  readonly site: Site;
  /** Below the site's base address. */
  readonly path: string;
  readonly query: string;
  /** Why nothing can be there: it is outside of every base address, or its host makes no sense. */
  readonly problem?: Problem;
}

interface Answer {
  readonly reply: Reply;
  readonly verdict: Verdict;
}

/** Answers every request that the HTTP parser lets through: caller, quota, operation, reply. */
export class HttpService {
  readonly #options: ServiceOptions;
  readonly #sites: BaseAddresses<Site>;
  readonly #firstSite: Site;
  readonly #replies = new ReplyWriter();

  constructor(options: ServiceOptions) {
    const [firstSite] = options.sites;
    if (!firstSite) throw new Error('A service needs at least one site.');
    this.#firstSite = firstSite;
    this.#options = options;
    this.#sites = new BaseAddresses(options.sites.map((site) => [site.baseUrl, site]));
  }

  /**
   * Never throws, and never rejects.
   * @param peer gives the address of the other end of the connection.
   */
  handle(request: Request, peer: () => string | undefined): Awaitable<Response> {
    const { clock, trustedProxies, log } = this.#options;
    const now = clock.now();
    const address = () =>
      clientAddress(peer() ?? '', request.headers.get('x-forwarded-for'), trustedProxies);
    return then(this.#answer({ request, now, address }), ({ reply, verdict }) => {
      log.request?.(request.method, request.url, reply.status, clock.now().elapsed - now.elapsed);
      return this.#replies.write(reply, verdict, now, request.headers.has('origin'));
    });
  }

  #answer({ request, now, address }: Exchange): Awaitable<Answer> {
    const { site, path, query, problem } = this.#locate(request);
    const uncounted = problem === BAD_HOST ? undefined : uncountedReply(site, request, path);
    if (uncounted) {
      const verdict = site.limiter.peek(anonymous(site, address()), now);
      return then(verdict, (verdict) => ({ reply: uncounted, verdict }));
    }
    if (problem) return charge(site, now, anonymous(site, address()), () => problemReply(problem));
    const caller = attempt<Caller>(
      () => identifyCaller(site, request.headers.get('authorization'), address),
      (error) => ({ quota: anonymous(site, address()), problem: this.#problemOf(error) }),
    );
    const recover = (error: unknown) => problemReply(this.#problemOf(error));
    return then(caller, (caller) =>
      charge(site, now, caller.quota, () => {
        if ('problem' in caller) return challengeReply(caller.problem);
        site.noteUse(caller.key, now.wall);
        const { account } = caller;
        return attempt(
          () => carryOut({ site, account, request, now, query }, path, recover),
          recover,
        );
      }),
    );
  }

  #locate({ url, headers }: Request): Place {
    const target = parseTarget(url, headers.get('host'));
    const nowhere = { site: this.#firstSite, path: '', query: '' };
    if (!target) return { ...nowhere, problem: BAD_HOST };
    const located = this.#sites.locate(target);
    if (located) return { site: located.value, path: located.path, query: target.query };
    const message = `Nothing is served here. The API is described at ${this.#firstSite.baseUrl}${DOCUMENT_PATH}.`;
    return { ...nowhere, problem: { code: 'not_found', message } };
  }

  #problemOf(error: unknown): Problem {
    if (!(error instanceof ApiError)) {
      this.#options.log.failure(error);
      return INTERNAL_ERROR;
    }
    if (ERRORS[error.code].status >= 500) this.#options.log.failure(error);
    return error;
  }
}

/** Takes the request from the caller's quota; only what is admitted is carried out. */
function charge(
  site: Site,
  now: Instant,
  caller: QuotaCaller,
  operate: () => Awaitable<Reply>,
): Awaitable<Answer> {
  return then(site.limiter.take(caller, now), (verdict) => {
    const reply = verdict.outcome === 'admitted' ? operate() : limitReply(caller, verdict);
    return then(reply, (reply) => ({ reply, verdict }));
  });
}
