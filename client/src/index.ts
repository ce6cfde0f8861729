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
  CreatePetOptions,
  Int64,
  ListPetsQuery,
  Message,
  NewPet,
  Pet,
  PetPage,
  PetStatus,
  RequestOptions,
  SendMessageOptions,
} from './types.ts';
