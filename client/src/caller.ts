import { ApiPromise, type WithResponse } from './api-promise.ts';
import { type ApiRequest, exchange, type Reply } from './exchange.ts';
import { type RateLimit, readRateLimit } from './rate-limit.ts';
import { readApiError } from './replies.ts';
import { withRetries } from './retry.ts';
import { type Settings, withRequestOptions } from './settings.ts';
import type { RequestOptions } from './types.ts';

/** Makes the calls of one client: prepares each request, sends it until it is answered, and reads the reply. */
export class Caller {
  // Private at run time too, so that the API key appears in no log, inspection or JSON.
  readonly #settings: Settings;
  #rateLimit: RateLimit | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The quota that the last reply reported; `undefined` before the first one. */
  get rateLimit(): RateLimit | undefined {
    return this.#rateLimit;
  }

  /**
   * Makes a call.
   *
   * @param prepare makes the request; its error rejects the call, and nothing is sent.
   * @param read the result from the reply of the last attempt.
   */
  call<Data>(
    options: RequestOptions,
    prepare: (settings: Settings) => ApiRequest,
    read: (reply: Reply, request: ApiRequest) => Data,
  ): ApiPromise<Data> {
    return new ApiPromise(this.#perform(options, prepare, read));
  }

  // Prepares the request here, so that an unusable argument rejects the call like other failures.
  async #perform<Data>(
    options: RequestOptions,
    prepare: (settings: Settings) => ApiRequest,
    read: (reply: Reply, request: ApiRequest) => Data,
  ): Promise<WithResponse<Data>> {
    const settings = withRequestOptions(this.#settings, options);
    const request = prepare(settings);
    const attempt = (retries: number) => this.#attempt(request, settings, options.signal, retries);
    const reply = await withRetries(attempt, request, settings, options.signal);
    return { data: read(reply, request), response: responseOf(reply) };
  }

  async #attempt(
    request: ApiRequest,
    settings: Settings,
    signal: AbortSignal | undefined,
    retries: number,
  ): Promise<Reply> {
    const reply = await exchange(request, settings, signal);
    const nowMs = settings.now();
    this.#rateLimit = readRateLimit(reply.headers, nowMs) ?? this.#rateLimit;
    if (reply.ok) return reply;
    const error = readApiError(reply, nowMs, retries > 0);
    // An earlier attempt deleted it, or somebody else did: it is gone, as the caller wanted.
    if (error.isRetry && request.method === 'DELETE' && error.code === 'pet_not_found')
      return reply;
    throw error;
  }
}

/** The reply for callers, without the headers that describe its compressed form. */
function responseOf({ status, headers, body }: Reply): Response {
  // A reply of such a status cannot have a body, not even an empty one.
  const response = new Response(status === 204 ? null : body, { status, headers });
  response.headers.delete('Content-Encoding');
  response.headers.delete('Content-Length');
  return response;
}
