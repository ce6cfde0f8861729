import { ApiError } from '../core/errors.ts';
import type { DashboardOptions } from './options.ts';
import type { DashboardErrorCode, ErrorBody } from './shared/api.ts';

/** Replies about an account must not be cached. */
export const UNCACHED = { 'Cache-Control': 'no-store' };

/** Every error of the dashboard's API, with its status and the code in the reply. */
const ERRORS = {
  invalid: [400, 'invalid'],
  weak_password: [400, 'weak_password'],
  wrong_password: [400, 'invalid'],
  invalid_link: [400, 'invalid'],
  signed_out: [401, 'signed_out'],
  invalid_credentials: [401, 'invalid'],
  sign_in_again: [403, 'sign_in_again'],
  second_factor_required: [403, 'second_factor_required'],
  suspended: [403, 'suspended'],
  forbidden: [403, 'forbidden'],
  other_site: [403, 'forbidden'],
  not_found: [404, 'not_found'],
  method_not_allowed: [405, 'method_not_allowed'],
  conflict: [409, 'conflict'],
  too_many_attempts: [429, 'too_many_attempts'],
  rate_limited: [429, 'rate_limited'],
  failed: [500, 'failed'],
  unavailable: [503, 'unavailable'],
  // Of animals and orders, as in the public API.
  not_owner: [403, 'not_owner'],
  pet_not_found: [404, 'pet_not_found'],
  pet_reserved: [409, 'pet_reserved'],
  invalid_transition: [409, 'invalid_transition'],
  pet_unavailable: [409, 'pet_unavailable'],
  // Thrown by the body reader, which the public API uses, too.
  invalid_json: [400, 'invalid'],
  invalid_body: [400, 'invalid'],
  unsupported_content_type: [400, 'invalid'],
  body_too_large: [400, 'invalid'],
} as const satisfies Record<string, readonly [status: number, code: DashboardErrorCode]>;

type Code = keyof typeof ERRORS;

/** An error reply of the dashboard's API, thrown. */
export const DashboardError = ApiError<Code>;

const FAILED = new DashboardError(
  'failed',
  'The service failed to do this. Try again; if it keeps failing, tell the operator.',
);

/** The reply to a thrown error. The cause of a failure is logged, never sent. */
export function errorReply(error: unknown, log: Pick<DashboardOptions['log'], 'error'>): Response {
  const shown = error instanceof ApiError && isKnown(error.code) ? error : FAILED;
  const [status, code] = ERRORS[isKnown(shown.code) ? shown.code : 'failed'];
  if (status >= 500) {
    log.error({ err: error }, code === 'unavailable' ? 'store unavailable' : 'dashboard failed');
  }
  const body: ErrorBody = { code, message: shown.message, status };
  const retryAfter = status === 503 ? { 'Retry-After': '1' } : undefined;
  return Response.json(body, { status, headers: { ...UNCACHED, ...retryAfter, ...shown.headers } });
}

function isKnown(code: string): code is Code {
  return Object.hasOwn(ERRORS, code);
}
