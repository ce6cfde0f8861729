import { type ApiRequest, exchange, type Reply } from './exchange.ts';
import { requireInt64 } from './int64.ts';
import { stringifyMembers } from './json.ts';
import { nextQuery } from './link.ts';
import { type RateLimit, readRateLimit } from './rate-limit.ts';
import { isMessage, isPet, isPetList, readApiError, readBody } from './replies.ts';
import { withRetries } from './retry.ts';
import { type PetstoreClientOptions, resolveSettings, type Settings } from './settings.ts';
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

// A request counts against the quota whatever its size: walk the list in the largest pages.
const LARGEST_PAGE = 100;

/**
 * A client of the petstore service.
 *
 * Every call retries what a retry can mend (429, 503, and, where repeating is safe, lost or late
 * replies) and rejects with:
 *
 * - {@link ApiError}: the service answered with an error;
 * - {@link RetryLaterError}: it asked for a wait beyond `maxRetryWaitMs`;
 * - {@link NetworkError} or {@link TimeoutError}: no complete reply arrived;
 * - {@link InvalidReplyError}: the reply is not what the contract says;
 * - `TypeError` or `RangeError`: an argument is unusable, nothing was sent;
 * - the signal's reason: the caller's `signal` aborted.
 */
export class PetstoreClient {
  // Private to the runtime too, so that the API key shows in no log, inspection or JSON.
  readonly #settings: Settings;
  #rateLimit: RateLimit | undefined;

  /**
   * @throws {TypeError} for a malformed key or address.
   * @throws {RangeError} for a number out of range.
   */
  constructor(options: PetstoreClientOptions) {
    this.#settings = resolveSettings(options);
  }

  /** The quota as the last reply told it; `undefined` before the first one. */
  get rateLimit(): RateLimit | undefined {
    return this.#rateLimit;
  }

  /** Fetches one page of animals, in ascending id, and the query of the next one. */
  async listPets(query: ListPetsQuery = {}, options: RequestOptions = {}): Promise<PetPage> {
    const url = `${this.#settings.baseUrl}/pets${queryString(query)}`;
    const reply = await this.#send({ method: 'GET', url }, options);
    return {
      pets: readBody(reply, isPetList, 'a list of pets'),
      next: nextQuery(reply.headers.get('Link'), url),
    };
  }

  /**
   * Yields every animal, in ascending id, fetching a page when the one before is used up. Pages
   * hold 100 animals unless `query.limit` says otherwise; `options` hold for each page's request.
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
  async createPet(newPet: NewPet, options: CreatePetOptions = {}): Promise<Pet> {
    const { name, categoryId, status } = newPet;
    const request: ApiRequest = {
      method: 'POST',
      url: `${this.#settings.baseUrl}/pets`,
      idempotencyKey: idempotencyKeyOf(options),
      body: stringifyMembers({ name, categoryId: requireInt64('categoryId', categoryId), status }),
    };
    return readBody(await this.#send(request, options), isPet, 'a pet');
  }

  /**
   * Fetches one animal.
   *
   * @deprecated The service removes this operation on 5 December 2030. Use
   * {@link PetstoreClient.listPets} with the `status` filter instead.
   */
  async getPet(id: Int64, options: RequestOptions = {}): Promise<Pet> {
    const url = `${this.#settings.baseUrl}/pets/${requireInt64('id', id)}`;
    const reply = await this.#send({ method: 'GET', url }, options);
    return readBody(reply, isPet, 'a pet');
  }

  /**
   * Queues a message of 1 to 10,000 characters. Retries never queue it twice: they share one
   * idempotency key.
   */
  async sendMessage(message: string, options: SendMessageOptions = {}): Promise<Message> {
    const request: ApiRequest = {
      method: 'POST',
      url: `${this.#settings.quickstartBaseUrl}/messages`,
      idempotencyKey: idempotencyKeyOf(options),
      body: stringifyMembers({ message }),
    };
    return readBody(await this.#send(request, options), isMessage, 'a message');
  }

  #send(request: ApiRequest, options: RequestOptions): Promise<Reply> {
    const settings = this.#settings;
    const attempt = async () => {
      const reply = await exchange(request, settings, options);
      const nowMs = settings.now();
      this.#rateLimit = readRateLimit(reply.headers, nowMs) ?? this.#rateLimit;
      if (!reply.ok) throw readApiError(reply, nowMs);
      return reply;
    };
    return withRetries(attempt, settings, options.signal);
  }
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

/** The caller's own, or one for this call. */
function idempotencyKeyOf({
  idempotencyKey: key = newIdempotencyKey(),
}: SendMessageOptions): string {
  if (/^[!-~]{1,255}$/.test(key)) return key;
  throw new TypeError('idempotencyKey must be 1 to 255 printable ASCII characters, no spaces');
}
