import { ApiPromise, type WithResponse } from './api-promise.ts';
import { type ApiRequest, exchange, type Reply } from './exchange.ts';
import { requireInt64 } from './int64.ts';
import { stringifyMembers } from './json.ts';
import { nextQuery } from './link.ts';
import { type RateLimit, readRateLimit } from './rate-limit.ts';
import { isMessage, isPet, isPetList, readApiError, readBody } from './replies.ts';
import { withRetries } from './retry.ts';
import {
  type PetstoreClientOptions,
  resolveSettings,
  type Settings,
  withRequestOptions,
} from './settings.ts';
import type {
  CreatePetOptions,
  Int64,
  ListPetsQuery,
  Message,
  NewPet,
  Pet,
  PetPage,
  RequestOptions,
  SendMessageOptions,
} from './types.ts';

// A request counts once against the quota, regardless of the page size: use the largest pages.
const LARGEST_PAGE = 100;

/**
 * A client of the petstore service.
 *
 * Every call retries failures that a retry can fix (429, 503, and, where repeating is safe, lost or
 * late replies) and rejects with:
 *
 * - {@link ApiError}: the service answered with an error;
 * - {@link RetryLaterError}: the service asked for a wait beyond `maxRetryWaitMs`;
 * - {@link NetworkError} or {@link TimeoutError}: no complete reply arrived;
 * - {@link InvalidReplyError}: the reply does not match the contract;
 * - `TypeError` or `RangeError`: an argument is unusable, nothing was sent;
 * - the signal's reason: the caller's `signal` aborted.
 */
export class PetstoreClient {
  // Private at run time too, so that the API key appears in no log, inspection or JSON.
  readonly #settings: Settings;
  #rateLimit: RateLimit | undefined;

  /**
   * @throws {TypeError} for a malformed key or address.
   * @throws {RangeError} for a number out of range.
   */
  constructor(options: PetstoreClientOptions = {}) {
    this.#settings = resolveSettings(options);
  }

  /** The quota that the last reply reported; `undefined` before the first one. */
  get rateLimit(): RateLimit | undefined {
    return this.#rateLimit;
  }

  /** Fetches one page of animals, in ascending id, and the query of the next one. */
  listPets(query: ListPetsQuery = {}, options: RequestOptions = {}): ApiPromise<PetPage> {
    return this.#call(
      options,
      () => ({ method: 'GET', url: `${this.#settings.baseUrl}/pets${queryString(query)}` }),
      (reply, { url }) => ({
        pets: readBody(reply, isPetList, 'a list of pets'),
        next: nextQuery(reply.headers, url),
      }),
    );
  }

  /**
   * Yields every animal, in ascending id, fetching each page after the items of the one before. Pages
   * hold 100 animals unless `query.limit` says otherwise; `options` apply to each page's request.
   */
  async *listAllPets(
    query: ListPetsQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<Pet, void, undefined> {
    let next: ListPetsQuery | undefined = { ...query, limit: query.limit ?? LARGEST_PAGE };
    while (next !== undefined) {
      const page: PetPage = await this.listPets(next, options);
      yield* page.pets;
      next = page.next;
    }
  }

  /** Adds an animal. Retries never add it twice: they share one idempotency key. */
  createPet(newPet: NewPet, options: CreatePetOptions = {}): ApiPromise<Pet> {
    const { name, categoryId, status } = newPet;
    return this.#call(
      options,
      () => ({
        method: 'POST',
        url: `${this.#settings.baseUrl}/pets`,
        idempotencyKey: idempotencyKeyOf(options),
        body: stringifyMembers({
          name,
          categoryId: requireInt64('categoryId', categoryId),
          status,
        }),
      }),
      readPet,
    );
  }

  /**
   * Fetches one animal.
   *
   * @deprecated The service removes this operation on 5 December 2030. Use
   * {@link PetstoreClient.listPets} with the `status` filter instead.
   */
  getPet(id: Int64, options: RequestOptions = {}): ApiPromise<Pet> {
    return this.#call(
      options,
      () => ({
        method: 'GET',
        url: `${this.#settings.baseUrl}/pets/${requireInt64('id', id)}`,
      }),
      readPet,
    );
  }

  /**
   * Queues a message of 1 to 10,000 characters. Retries never queue it twice: they share one
   * idempotency key.
   */
  sendMessage(message: string, options: SendMessageOptions = {}): ApiPromise<Message> {
    return this.#call(
      options,
      () => ({
        method: 'POST',
        url: `${this.#settings.quickstartBaseUrl}/messages`,
        idempotencyKey: idempotencyKeyOf(options),
        body: stringifyMembers({ message }),
      }),
      (reply) => readBody(reply, isMessage, 'a message'),
    );
  }

  #call<Data>(
    options: RequestOptions,
    prepare: () => ApiRequest,
    read: (reply: Reply, request: ApiRequest) => Data,
  ): ApiPromise<Data> {
    return new ApiPromise(this.#perform(options, prepare, read));
  }

  // Prepares the request here, so that an unusable argument rejects the call like other failures.
  async #perform<Data>(
    options: RequestOptions,
    prepare: () => ApiRequest,
    read: (reply: Reply, request: ApiRequest) => Data,
  ): Promise<WithResponse<Data>> {
    const settings = withRequestOptions(this.#settings, options);
    const request = prepare();
    const attempt = () => this.#attempt(request, settings, options.signal);
    const reply = await withRetries(attempt, request, settings, options.signal);
    return { data: read(reply, request), response: responseOf(reply) };
  }

  async #attempt(
    request: ApiRequest,
    settings: Settings,
    signal: AbortSignal | undefined,
  ): Promise<Reply> {
    const reply = await exchange(request, settings, signal);
    const nowMs = settings.now();
    this.#rateLimit = readRateLimit(reply.headers, nowMs) ?? this.#rateLimit;
    if (!reply.ok) throw readApiError(reply, nowMs);
    return reply;
  }
}

/** The reply for callers, without the headers that describe its compressed form. */
function responseOf({ status, headers, body }: Reply): Response {
  const response = new Response(body, { status, headers });
  response.headers.delete('Content-Encoding');
  response.headers.delete('Content-Length');
  return response;
}

function readPet(reply: Reply): Pet {
  return readBody(reply, isPet, 'a pet');
}

function queryString({ limit, status, after }: ListPetsQuery): string {
  const parameters = new URLSearchParams();
  if (limit !== undefined) parameters.set('limit', String(limit));
  if (status !== undefined) parameters.set('status', status);
  if (after !== undefined) parameters.set('after', String(requireInt64('after', after)));
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/** 128 random bits. `crypto.randomUUID` would be missing on pages that are not served over https. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The caller's key, or a new one for this call. */
function idempotencyKeyOf({
  idempotencyKey: key = newIdempotencyKey(),
}: SendMessageOptions): string {
  if (/^[!-~]{1,255}$/.test(key)) return key;
  throw new TypeError('idempotencyKey must be 1 to 255 printable ASCII characters, no spaces');
}
