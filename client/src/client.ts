import type { ApiPromise } from './api-promise.ts';
import { Caller } from './caller.ts';
import type { Reply } from './exchange.ts';
import { requireInt64 } from './int64.ts';
import { nextQuery } from './link.ts';
import { walk } from './pages.ts';
import type { RateLimit } from './rate-limit.ts';
import {
  isMessage,
  isOrder,
  isOrderList,
  isOrderStatus,
  isPet,
  isPetList,
  isPetStatus,
  readBody,
  requireNoContent,
} from './replies.ts';
import { change, creation, deletion, list } from './requests.ts';
import { type PetstoreClientOptions, resolveSettings, type Settings } from './settings.ts';
import type {
  ChangeOptions,
  CreateOrderOptions,
  CreatePetOptions,
  Int64,
  ListOrdersQuery,
  ListPetsQuery,
  Message,
  NewOrder,
  NewPet,
  Order,
  OrderPage,
  OrderPatch,
  Pet,
  PetPage,
  PetPatch,
  RequestOptions,
  SendMessageOptions,
} from './types.ts';

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
  readonly #caller: Caller;

  /**
   * @throws {TypeError} for a malformed key or address.
   * @throws {RangeError} for a number out of range.
   */
  constructor(options: PetstoreClientOptions = {}) {
    this.#caller = new Caller(resolveSettings(options));
  }

  /** The quota that the last reply reported; `undefined` before the first one. */
  get rateLimit(): RateLimit | undefined {
    return this.#caller.rateLimit;
  }

  /** Fetches one page of animals, in ascending id, and the query of the next one. */
  listPets(query: ListPetsQuery = {}, options: RequestOptions = {}): ApiPromise<PetPage> {
    return this.#caller.call(
      options,
      ({ baseUrl }) => list(`${baseUrl}/pets`, query),
      (reply, { url }) => ({
        pets: readBody(reply, isPetList, 'a list of pets'),
        next: nextQuery(reply.headers, url, isPetStatus),
      }),
    );
  }

  /**
   * Yields every animal, in ascending id, fetching each page after the items of the one before. Pages
   * hold 100 animals unless `query.limit` says otherwise; `options` apply to each page's request.
   */
  listAllPets(
    query: ListPetsQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<Pet, void, undefined> {
    return walk(
      query,
      (next) => this.listPets(next, options),
      ({ pets }) => pets,
    );
  }

  /** Adds an animal. Retries never add it twice: they share one idempotency key. */
  createPet(newPet: NewPet, options: CreatePetOptions = {}): ApiPromise<Pet> {
    const { name, status } = newPet;
    return this.#caller.call(
      options,
      ({ baseUrl }) => {
        const categoryId = requireInt64('categoryId', newPet.categoryId);
        return creation(`${baseUrl}/pets`, { name, categoryId, status }, options);
      },
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
    return this.#caller.call(
      options,
      (settings) => ({ method: 'GET', url: petUrl(settings, id) }),
      readPet,
    );
  }

  /**
   * Changes the fields of an animal that `patch` holds. Give the `ETag` of the reply that the change is based on as
   * `ifMatch`, so that a change by somebody else in between is not overwritten.
   *
   * @beta An incompatible change is announced 90 days before.
   */
  updatePet(id: Int64, patch: PetPatch, options: ChangeOptions = {}): ApiPromise<Pet> {
    const { name, categoryId, status } = patch;
    return this.#caller.call(
      options,
      (settings) => {
        if (categoryId !== undefined) requireInt64('categoryId', categoryId);
        return change(petUrl(settings, id), { name, categoryId, status }, options);
      },
      readPet,
    );
  }

  /**
   * Deletes an animal. That a retry does not find it any more is a success.
   *
   * @beta An incompatible change is announced 90 days before.
   */
  deletePet(id: Int64, options: ChangeOptions = {}): ApiPromise<void> {
    return this.#caller.call(
      options,
      (settings) => deletion(petUrl(settings, id), options),
      requireNoContent,
    );
  }

  /**
   * Orders an available animal. Retries never order it twice: they share one idempotency key.
   *
   * @experimental It may change in any release.
   */
  createOrder({ petId }: NewOrder, options: CreateOrderOptions = {}): ApiPromise<Order> {
    return this.#caller.call(
      options,
      (settings) => creation(ordersUrl(settings), { petId: requireInt64('petId', petId) }, options),
      readOrder,
    );
  }

  /**
   * Fetches one page of the account's orders, in ascending id, and the query of the next one.
   *
   * @experimental It may change in any release.
   */
  listOrders(query: ListOrdersQuery = {}, options: RequestOptions = {}): ApiPromise<OrderPage> {
    return this.#caller.call(
      options,
      (settings) => list(ordersUrl(settings), query),
      (reply, { url }) => ({
        orders: readBody(reply, isOrderList, 'a list of orders'),
        next: nextQuery(reply.headers, url, isOrderStatus),
      }),
    );
  }

  /**
   * Yields every order of the account, in ascending id, like {@link PetstoreClient.listAllPets}.
   *
   * @experimental It may change in any release.
   */
  listAllOrders(
    query: ListOrdersQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<Order, void, undefined> {
    return walk(
      query,
      (next) => this.listOrders(next, options),
      ({ orders }) => orders,
    );
  }

  /**
   * Fetches one order of the account.
   *
   * @experimental It may change in any release.
   */
  getOrder(id: Int64, options: RequestOptions = {}): ApiPromise<Order> {
    return this.#caller.call(
      options,
      (settings) => ({ method: 'GET', url: ordersUrl(settings, id) }),
      readOrder,
    );
  }

  /**
   * Changes the status of an order: the animal follows it. Give the `ETag` of the reply that the change is based on as
   * `ifMatch`, so that a change by somebody else in between is not overwritten.
   *
   * @experimental It may change in any release.
   */
  updateOrder(id: Int64, { status }: OrderPatch, options: ChangeOptions = {}): ApiPromise<Order> {
    return this.#caller.call(
      options,
      (settings) => change(ordersUrl(settings, id), { status }, options),
      readOrder,
    );
  }

  /**
   * Queues a message of 1 to 10,000 characters. Retries never queue it twice: they share one
   * idempotency key.
   */
  sendMessage(message: string, options: SendMessageOptions = {}): ApiPromise<Message> {
    return this.#caller.call(
      options,
      ({ quickstartBaseUrl }) => creation(`${quickstartBaseUrl}/messages`, { message }, options),
      (reply) => readBody(reply, isMessage, 'a message'),
    );
  }
}

function petUrl({ baseUrl }: Settings, id: Int64): string {
  return `${baseUrl}/pets/${requireInt64('id', id)}`;
}

function ordersUrl({ baseUrl }: Settings, id?: Int64): string {
  return `${baseUrl}/store/orders${id === undefined ? '' : `/${requireInt64('id', id)}`}`;
}

function readPet(reply: Reply): Pet {
  return readBody(reply, isPet, 'a pet');
}

function readOrder(reply: Reply): Order {
  return readBody(reply, isOrder, 'an order');
}
