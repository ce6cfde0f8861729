export { ApiPromise, type WithResponse } from './api-promise.ts';
export { PetstoreClient } from './client.ts';
export {
  ApiError,
  type ApiErrorDetails,
  type ErrorCode,
  InvalidReplyError,
  isApiError,
  type KnownErrorCode,
  NetworkError,
  PetstoreError,
  RetryLaterError,
  TimeoutError,
} from './errors.ts';
export type { RateLimit, RateLimitWindow } from './rate-limit.ts';
export type { Fetch, PetstoreClientOptions, Sleep } from './settings.ts';
export type {
  ChangeOptions,
  CreateOrderOptions,
  CreatePetOptions,
  Int64,
  ListOrdersQuery,
  ListPetsQuery,
  ListQuery,
  Message,
  NewOrder,
  NewPet,
  OnRetry,
  Order,
  OrderPage,
  OrderPatch,
  OrderStatus,
  Pet,
  PetPage,
  PetPatch,
  PetStatus,
  RequestOptions,
  Retry,
  SendMessageOptions,
} from './types.ts';
