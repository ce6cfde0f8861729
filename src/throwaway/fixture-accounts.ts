import type { XStatic } from 'typebox/schema';
import { newEmailProblem } from '../core/accounts/email-address.ts';
import { OperatorError } from '../core/errors.ts';
import { environmentOfShape } from '../core/keys/api-key-text.ts';
import { parseKeyName } from '../core/keys/api-keys.ts';
import { type Limits, type Plan, type Subscription, subscribe } from '../core/limits/plans.ts';
import type { FixtureSchema } from './fixture-schema.ts';

export type FixtureAccount = XStatic<typeof FixtureSchema.properties.accounts.items>;
type FixtureKey = NonNullable<FixtureAccount['keys']>[number];

/** One problem of a fixture. */
export interface Problem {
  /** The location of the problem: a JSON Pointer (RFC 6901). */
  readonly pointer: string;
  readonly text: string;
}

/** The accounts and keys of the fixture, which other parts may refer to. */
export interface Known {
  /** In lower case. */
  readonly emails: Set<string>;
  /** Texts of keys. */
  readonly keys: Set<string>;
}

export const NO_TIME = 'must be a time that exists, from 1970 on.';

/**
 * The plan of an account of a fixture; by default Free.
 * @throws OperatorError when the limits do not match the plan.
 */
export function subscriptionOf({
  plan = 'free',
  perMinute,
  perDay,
}: { readonly plan?: Plan } & Partial<Limits>): Subscription {
  return subscribe(plan, { perMinute, perDay });
}

/** Problems of an account that the schema cannot express. */
export function* problemsOfAccount(
  pointer: string,
  account: FixtureAccount,
  known: Known,
  now: number,
): Generator<Problem> {
  const email = account.email.toLowerCase();
  const problem = newEmailProblem(email);
  if (problem !== undefined) {
    yield { pointer: `${pointer}/email`, text: `must be an e-mail address. ${problem}` };
  }
  if (known.emails.has(email)) {
    yield { pointer: `${pointer}/email`, text: 'is the address of another account.' };
  }
  known.emails.add(email);
  try {
    subscriptionOf(account);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    yield { pointer: `${pointer}/plan`, text: `cannot be used: ${error.message}` };
  }
  for (const [index, key] of (account.keys ?? []).entries()) {
    yield* problemsOfKey(`${pointer}/keys/${index}`, key, known, now);
  }
}

function* problemsOfKey(
  pointer: string,
  { key, environment = 'production', name, expiresAt }: FixtureKey,
  { keys }: Known,
  now: number,
): Generator<Problem> {
  if (name !== undefined && parseKeyName(name) === undefined) {
    yield { pointer: `${pointer}/name`, text: 'must be printable text.' };
  }
  if (expiresAt !== undefined && !isTime(expiresAt)) {
    yield { pointer: `${pointer}/expiresAt`, text: NO_TIME };
  } else if (expiresAt !== undefined && Date.parse(expiresAt) <= now) {
    yield { pointer: `${pointer}/expiresAt`, text: 'must be in the future.' };
  }
  if (key === undefined) return;
  if (environmentOfShape(key) !== environment) {
    yield { pointer: `${pointer}/key`, text: `must begin with the prefix of ${environment} keys.` };
  }
  if (keys.has(key)) yield { pointer: `${pointer}/key`, text: 'is the text of another key.' };
  keys.add(key);
}

/** Whether a well-formed time exists in the calendar: `Date` takes 30 February for 2 March. */
export function isTime(text: string): boolean {
  const time = Date.parse(text);
  return (
    time >= 0 &&
    new Date(time).toISOString().startsWith(text.slice(0, 'YYYY-MM-DDThh:mm:ss'.length))
  );
}
