import type { Refusal, RefusalCode } from './shared/api.ts';

const STATUSES: Readonly<Record<RefusalCode, number>> = {
  invalid: 400,
  signed_out: 401,
  sign_in_again: 403,
  not_verified: 403,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_many_attempts: 429,
  failed: 500,
  unavailable: 503,
};

/** Nothing of an account may stay in a cache. */
export const UNCACHED = { 'Cache-Control': 'no-store' };

interface RefusedOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Where it is not the one that goes with the code. */
  readonly status?: number;
}

/** What a person asked for is refused; the message tells what to do next. */
export class Refused extends Error implements Refusal {
  override readonly name = 'Refused';
  readonly code: RefusalCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: RefusalCode, message: string, options: RefusedOptions = {}) {
    super(message);
    this.code = code;
    this.status = options.status ?? STATUSES[code];
    this.headers = options.headers ?? {};
  }
}

export function refusalReply({ code, message, status, headers }: Refused): Response {
  const refusal: Refusal = { code, message };
  return Response.json(refusal, { status, headers: { ...UNCACHED, ...headers } });
}

export function invalid(message: string): Refused {
  return new Refused('invalid', message);
}
