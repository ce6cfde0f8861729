import { PASSWORD_LENGTHS } from '../shared/bounds.ts';
import type { Attempts } from './attempts.ts';
import type { Auth } from './auth.ts';
import type { Fields } from './fields.ts';
import type { Letters } from './letters.ts';
import type { SignInOptions } from './options.ts';
import { WRONG_LENGTH } from './refusals.ts';

/** What every route has at hand. */
export interface Shared {
  readonly auth: Auth;
  readonly options: SignInOptions;
  readonly attempts: Attempts;
  /** Without them no mail is sent. */
  readonly letters: Letters | undefined;
  /** What goes on behind an answer. */
  readonly jobs: Set<Promise<void>>;
}

/** One request below /api/auth. */
export interface Visit extends Shared {
  /** What better-auth gets to see of the request's headers. */
  readonly headers: Headers;
  /** Of the client. */
  readonly address: string;
  /** Reads the body. */
  fields(): Promise<Fields>;
}

/** A success: what is said, and the headers that set or end cookies. */
export interface Outcome {
  readonly body: unknown;
  readonly headers?: Headers | undefined;
}

export type Route = (visit: Visit) => Promise<Outcome>;

export const DONE: Outcome = { body: { status: true } };

/** @throws Refused when it is too short or too long. */
export function newPassword(fields: Fields, name: string): string {
  const password = fields.text(name);
  const { least, most } = PASSWORD_LENGTHS;
  if (password.length >= least && password.length <= most) return password;
  throw WRONG_LENGTH;
}

/** Goes on behind an answer, which neither waits for it nor tells how it ended. */
export function inBackground(
  { options, jobs }: Visit,
  job: string,
  work: () => Promise<unknown>,
): void {
  const running = (async () => {
    try {
      await work();
    } catch (error) {
      options.log.error({ job, err: error }, 'mail was not sent');
    }
  })();
  jobs.add(running);
  void running.then(() => jobs.delete(running));
}
