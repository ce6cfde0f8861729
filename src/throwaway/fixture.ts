import { Compile, type XStatic } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { ENVIRONMENTS, type Environment } from '../core/environments.ts';
import { messageOf, SetupError } from '../core/errors.ts';
import { subscribe } from '../core/limits/plans.ts';
import { parseStrictJson } from '../http/body/strict-json.ts';
import { isBlank } from '../http/body/text-field.ts';
import { INT64_MAX, INT64_MIN } from '../lib/int64.ts';
import { clockFrom } from './adjustable-clock.ts';
import {
  isTime,
  type Known,
  NO_TIME,
  type Problem,
  problemsOfAccount,
} from './fixture-accounts.ts';
import { problemsOfOrders } from './fixture-orders.ts';
import { FixtureSchema } from './fixture-schema.ts';
import { schemaProblems } from './schema-problems.ts';

/** The initial contents of a throwaway service. Integers beyond 2^53 - 1 are decimal strings. */
export type Fixture = XStatic<typeof FixtureSchema>;

type FixturePet = XStatic<typeof FixtureSchema.properties.pets.properties.production.items>;

/** A list in which malformed elements are `undefined`, so that the others keep their indexes. */
type SoundList<Name extends keyof Fixture> = Fixture[Name] extends
  | ReadonlyArray<infer Element>
  | undefined
  ? ReadonlyArray<Element | undefined>
  : never;

/** The well-formed parts of a fixture. */
interface SoundParts {
  readonly clock?: Fixture['clock'];
  readonly accounts?: SoundList<'accounts'>;
  readonly pets?: Readonly<Record<string, ReadonlyArray<FixturePet | undefined> | undefined>>;
  readonly messages?: SoundList<'messages'>;
  readonly bans?: SoundList<'bans'>;
  readonly usage?: SoundList<'usage'>;
}

/** The account of every throwaway service, with limits that no test suite exhausts. */
export const DEFAULT_ACCOUNT = {
  email: 'throwaway@example.com',
  subscription: subscribe('enterprise', { perMinute: 1_000_000_000, perDay: 1_000_000_000 }),
} as const;

const NO_TEXT = 'must be Unicode text.';

/** More problems than anyone reads; the validator's default is 8. */
const MAX_PROBLEMS = 1_000;

const validator = Compile(FixtureSchema);
const { properties } = FixtureSchema;
const clockValidator = Compile(properties.clock);
const accountValidator = Compile(properties.accounts.items);
const petValidator = Compile(properties.pets.properties.production.items);
const orderValidator = Compile(properties.orders.properties.production.items);
const messageValidator = Compile(properties.messages.items);
const banValidator = Compile(properties.bans.items);
const usageValidator = Compile(properties.usage.items);

/**
 * Reads a fixture.
 * @param source its name in messages.
 * @throws SetupError with every problem, one per line with its JSON Pointer.
 */
export function parseFixture(bytes: Uint8Array, source: string): Fixture {
  const value = withoutBigInts(parse(bytes, source));
  const problems = [...problemsOfShape(value), ...problemsOfSoundParts(value)];
  if (validator.Check(value) && problems.length === 0) return value;
  throw invalid(source, problems);
}

function parse(bytes: Uint8Array, source: string): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (cause) {
    const text = messageOf(cause)
      .replace(/^The body is not valid JSON at /, 'see ')
      .replace(/^The body(?: is not valid JSON:)? (?:it )?/, 'it ');
    throw new SetupError(`${source} is not valid JSON: ${text}`, { cause });
  }
}

/** The strict JSON parser makes every integer a bigint. Those within 2^53 - 1 become numbers, the others strings. */
function withoutBigInts(value: unknown): unknown {
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  }
  if (Array.isArray(value)) return value.map(withoutBigInts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutBigInts(member)]),
  );
}

function problemsOfShape(value: unknown): Problem[] {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: MAX_PROBLEMS });
  try {
    const [, errors] = validator.Errors(value);
    return schemaProblems(FixtureSchema, errors);
  } finally {
    Settings.Set({ maxErrors });
  }
}

/** Problems of the well-formed parts that the schema cannot express. */
function* problemsOfSoundParts(value: unknown): Generator<Problem> {
  const parts: Readonly<Partial<Record<keyof Fixture, unknown>>> = Object(value);
  const sound = {
    ...(clockValidator.Check(parts.clock) && { clock: parts.clock }),
    accounts: placesOf(parts.accounts, accountValidator),
    pets: placesIn(parts.pets, petValidator),
    orders: placesIn(parts.orders, orderValidator),
    messages: placesOf(parts.messages, messageValidator),
    bans: placesOf(parts.bans, banValidator),
    usage: placesOf(parts.usage, usageValidator),
  };
  const known: Known = { emails: new Set([DEFAULT_ACCOUNT.email]), keys: new Set() };
  yield* problemsOf(sound, known);
  addNamed(parts.accounts, known);
  yield* problemsOfReferences(sound, known);
  const { orders, pets } = sound;
  for (const name of ENVIRONMENTS) {
    yield* problemsOfOrders(`/orders/${name}`, orders[name], pets[name], known.emails);
  }
}

/** Adds the addresses and keys of malformed accounts, so that references to them are not reported, too. */
function addNamed(list: unknown, { emails, keys: texts }: Known): void {
  for (const account of Array.isArray(list) ? list : []) {
    const { email, keys }: { email?: unknown; keys?: unknown } = Object(account);
    if (typeof email === 'string') emails.add(email.toLowerCase());
    for (const each of Array.isArray(keys) ? keys : []) {
      const { key }: { key?: unknown } = Object(each);
      if (typeof key === 'string') texts.add(key);
    }
  }
}

/** `placesOf` the lists of both environments. */
function placesIn<Element>(
  lists: unknown,
  elements: { Check(value: unknown): value is Element },
): Readonly<Record<Environment, Array<Element | undefined>>> {
  const { production, staging }: { production?: unknown; staging?: unknown } = Object(lists);
  return { production: placesOf(production, elements), staging: placesOf(staging, elements) };
}

/** The elements of a list, with `undefined` in place of malformed ones. */
function placesOf<Element>(
  list: unknown,
  elements: { Check(value: unknown): value is Element },
): Array<Element | undefined> {
  if (!Array.isArray(list)) return [];
  return list.map((element: unknown) => (elements.Check(element) ? element : undefined));
}

/** Problems that the schema cannot express. */
function* problemsOf(fixture: SoundParts, known: Known): Generator<Problem> {
  const { clock, accounts = [], pets = {} } = fixture;
  const clockProblems = clock ? [...problemsOfClock(clock)] : [];
  yield* clockProblems;
  const now = clockFrom(clockProblems.length === 0 ? clock : undefined).now().wall;
  for (const [index, account] of accounts.entries()) {
    if (account) yield* problemsOfAccount(`/accounts/${index}`, account, known, now);
  }
  for (const [environment, list = []] of Object.entries(pets)) {
    for (const [index, pet] of list.entries()) {
      if (pet) yield* problemsOfPet(`/pets/${environment}/${index}`, pet);
    }
  }
}

function* problemsOfClock({
  now,
  advanceSeconds,
}: NonNullable<Fixture['clock']>): Generator<Problem> {
  if ((now === undefined) === (advanceSeconds === undefined)) {
    yield { pointer: '/clock', text: 'must have either "now" or "advanceSeconds".' };
  }
  if (now !== undefined && !isTime(now)) yield { pointer: '/clock/now', text: NO_TIME };
}

/** Invalid texts of messages, and references to accounts or keys that the fixture does not have. */
function* problemsOfReferences(
  { messages = [], usage = [], bans = [], pets = {} }: SoundParts,
  { emails, keys }: Known,
): Generator<Problem> {
  for (const [index, sent] of messages.entries()) {
    if (sent === undefined || sent.message.isWellFormed()) continue;
    yield { pointer: `/messages/${index}/message`, text: NO_TEXT };
  }
  const animals = Object.entries(pets).map(([name, list = []]) => [`pets/${name}`, list] as const);
  for (const [list, entries] of [...Object.entries({ messages, usage }), ...animals]) {
    for (const [index, entry] of entries.entries()) {
      if (entry?.account === undefined || emails.has(entry.account.toLowerCase())) continue;
      yield { pointer: `/${list}/${index}/account`, text: 'must be the address of an account.' };
    }
  }
  for (const [index, ban] of bans.entries()) {
    if (ban === undefined || keys.has(ban.key)) continue;
    yield { pointer: `/bans/${index}/key`, text: 'must be the text of a key of the fixture.' };
  }
}

function* problemsOfPet(
  pointer: string,
  { name, categoryId }: { readonly name: string; readonly categoryId: number | string },
): Generator<Problem> {
  if (!name.isWellFormed()) yield { pointer: `${pointer}/name`, text: NO_TEXT };
  if (isBlank(name)) yield { pointer: `${pointer}/name`, text: 'must not be blank.' };
  const id = BigInt(categoryId);
  if (id < INT64_MIN || id > INT64_MAX) {
    yield { pointer: `${pointer}/categoryId`, text: `must be from ${INT64_MIN} to ${INT64_MAX}.` };
  }
}

function invalid(source: string, problems: readonly Problem[]): SetupError {
  const lines = problems.map(({ pointer, text }) =>
    [`${source}:`, pointer, text].filter(Boolean).join(' '),
  );
  return new SetupError(lines.join('\n'));
}
