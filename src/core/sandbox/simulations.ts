import { type Item, parseItem, serializeItem, Token } from 'structured-headers';
import type { Awaitable } from '../../lib/awaitable.ts';
import { isErrorServed } from '../error-stability.ts';
import { ERRORS, type ErrorCode, hasRetryAfter, messageOf, OperatorError } from '../errors.ts';
import type { Stability } from '../stability.ts';
import { MAX_SIMULATED_TIMES } from './account-simulation.ts';

/** A numeric parameter of simulations. */
interface Parameter {
  readonly minimum: number;
  readonly maximum: number;
  /** The default; without one, an omitted parameter has no effect. */
  readonly fallback?: number;
  /** Whether it may have decimals. */
  readonly isDecimal?: boolean;
}

const RETRY_AFTER = 'retry-after';
const TIMES = 'times';

/** The parameters of simulations by name. */
export const SIMULATION_PARAMETERS = {
  /** Seconds. */
  'retry-after': { minimum: 1, maximum: 86_400, fallback: 1 },
  /** Milliseconds. */
  ms: { minimum: 1, maximum: 20_000, fallback: 1_000 },
  'bytes-per-second': { minimum: 1, maximum: 1_000_000, fallback: 100 },
  /** The share of requests that fail. */
  rate: { minimum: 0, maximum: 1, fallback: 0.5, isDecimal: true },
  seed: { minimum: 0, maximum: 999_999_999, fallback: 0 },
  /** How many requests the simulation applies to. */
  times: { minimum: 1, maximum: MAX_SIMULATED_TIMES },
} as const satisfies Readonly<Record<string, Parameter>>;

export type SimulationParameterName = keyof typeof SIMULATION_PARAMETERS;

/** The simulations other than the errors of the contract, with their parameters. */
export const FAULTS = {
  delay: ['ms'],
  drop: [],
  drop_after: [],
  truncate: [],
  trickle: ['bytes-per-second'],
  flaky: ['rate', 'seed'],
  malformed: [],
  unknown_field: [],
  unknown_code: [],
} as const satisfies Readonly<Record<string, readonly SimulationParameterName[]>>;

export type FaultName = keyof typeof FAULTS;
type SimulationName = ErrorCode | FaultName;

/** A simulated error for a request in staging, or a fault in sending its reply. */
export interface Simulation {
  readonly name: SimulationName;
  /** The value of every parameter: the one given, or its default. */
  readonly parameters: Readonly<Record<Exclude<SimulationParameterName, 'times'>, number>>;
  /** How many requests it applies to; all when omitted. */
  readonly times: number | undefined;
}

/** Counts the requests that a simulation applied to, across all processes. May raise `StorageUnavailable`. */
export interface SimulationStore {
  /**
   * Counts one more request.
   * @param counter a separate counter of the account: the id of the key with the simulation, or another name.
   * @param times how many requests are counted at most.
   * @returns the number of the request, starting at 1; `undefined` if `times` requests were already counted or
   * the account was deleted.
   */
  count(accountId: string, counter: string, times: number | undefined): Promise<number | undefined>;
  /** How many requests were counted. */
  counted(accountId: string, counter: string): Awaitable<number>;
}

/** Every simulation by its name, with the names of its parameters. */
export const SIMULATIONS: ReadonlyMap<string, readonly SimulationParameterName[]> = new Map([
  ...Object.keys(ERRORS).map((code): [string, readonly SimulationParameterName[]] => [
    code,
    hasRetryAfter(code) ? [RETRY_AFTER] : [],
  ]),
  ...Object.entries(FAULTS),
]);

/** The names of the simulations where `least` is the least stable level that is served. */
export function simulationNames(least: Stability): string[] {
  return [...SIMULATIONS.keys()].filter((name) => isServed(name, least));
}

/** Errors that no operation returns are not simulated. */
function isServed(name: string, least: Stability): boolean {
  return !isErrorCode(name) || isErrorServed(name, least);
}

function isErrorCode(name: string): name is ErrorCode {
  return Object.hasOwn(ERRORS, name);
}

export function isFault(name: SimulationName): name is FaultName {
  return Object.hasOwn(FAULTS, name);
}

/**
 * Parses a simulation of one request or of an account: an Item of RFC 9651, such as
 * `unavailable;retry-after=2`.
 * @param least the least stable level that is served. A stored simulation works also after it was changed.
 * @throws OperatorError, which lists every simulation, if it is unknown or has an invalid parameter.
 */
export function parseSimulation(text: string, least: Stability = 'experimental'): Simulation {
  return simulationFrom(itemOf(text, least), [], least);
}

/**
 * Parses a simulation of a key, which may limit the number of requests: `unavailable;times=2`.
 * @throws OperatorError like `parseSimulation`.
 */
export function parseKeySimulation(text: string): Simulation {
  return simulationFrom(itemOf(text), [TIMES], 'experimental');
}

/**
 * Normalizes the text of a simulation.
 * @param mayHaveTimes whether it is the simulation of a key.
 * @param least the least stable level that is served.
 * @throws OperatorError like `parseSimulation`.
 */
export function normalizeSimulation(
  text: string,
  mayHaveTimes: boolean,
  least: Stability = 'experimental',
): string {
  const item = itemOf(text, least);
  simulationFrom(item, mayHaveTimes ? [TIMES] : [], least);
  return serializeItem(item);
}

/** Whether the text is a simulation of an account, with valid parameters. */
export function isSimulation(text: string): boolean {
  try {
    normalizeSimulation(text, false);
    return true;
  } catch {
    return false;
  }
}

function itemOf(text: string, least: Stability = 'experimental'): Item {
  try {
    return parseItem(text);
  } catch (error) {
    const reason = messageOf(error).replace(/^Parse error: /, '');
    throw refusal(
      `A simulation is a name, perhaps with parameters: unavailable;retry-after=2. ${reason}.`,
      least,
    );
  }
}

function simulationFrom(
  [value, given]: Item,
  extra: readonly SimulationParameterName[],
  least: Stability,
): Simulation {
  const name = value instanceof Token ? value.toString() : '';
  const known = isServed(name, least) ? SIMULATIONS.get(name) : undefined;
  if (!known) throw refusal('This simulation is unknown.', least);
  const allowed: readonly string[] = [...known, ...extra];
  for (const parameter of given.keys()) {
    if (!allowed.includes(parameter)) {
      throw refusal(`"${name}" has no parameter "${parameter}".`, least);
    }
  }
  const number = (parameter: Exclude<SimulationParameterName, 'times'>) =>
    numberOf(parameter, given, least) ?? SIMULATION_PARAMETERS[parameter].fallback;
  return {
    // `SIMULATIONS` has only these names.
    name: name as SimulationName,
    parameters: {
      'retry-after': number('retry-after'),
      ms: number('ms'),
      'bytes-per-second': number('bytes-per-second'),
      rate: number('rate'),
      seed: number('seed'),
    },
    times: numberOf(TIMES, given, least),
  };
}

function numberOf(
  parameter: SimulationParameterName,
  given: Item[1],
  least: Stability,
): number | undefined {
  const value = given.get(parameter);
  if (value === undefined) return undefined;
  const { minimum, maximum, isDecimal = false }: Parameter = SIMULATION_PARAMETERS[parameter];
  const isInRange = typeof value === 'number' && value >= minimum && value <= maximum;
  if (isInRange && (isDecimal || Number.isInteger(value))) return value;
  const kind = isDecimal ? 'a number' : 'a whole number';
  throw refusal(`"${parameter}" must be ${kind} from ${minimum} to ${maximum}.`, least);
}

function refusal(problem: string, least: Stability): OperatorError {
  const names = simulationNames(least).map((name) =>
    [name, ...(SIMULATIONS.get(name) ?? [])].join(';'),
  );
  return new OperatorError(`${problem} Simulations are: ${names.join(', ')}.`);
}
