import { isErrorServed } from '../../../core/error-stability.ts';
import { ERRORS, type ErrorCode, hasRetryAfter } from '../../../core/errors.ts';
import type { Stability } from '../../../core/stability.ts';

/** An example of a simulation, and its effect. */
interface SimulationExample {
  /** The item, such as `delay;ms=2000`. */
  readonly simulate: string;
  readonly effect: string;
}

/** The simulations other than errors. */
const FAULTS: readonly SimulationExample[] = [
  { simulate: 'delay;ms=2000', effect: 'The reply leaves two seconds later.' },
  { simulate: 'drop', effect: 'The connection ends without a reply. Nothing was done.' },
  { simulate: 'drop_after', effect: 'The request is carried out, and its reply is lost.' },
  { simulate: 'truncate', effect: 'Half of the body arrives, then the connection ends.' },
  { simulate: 'trickle;bytes-per-second=100', effect: 'The body arrives slowly.' },
  { simulate: 'flaky;rate=0.3;seed=7', effect: 'Three of ten requests get 503.' },
  { simulate: 'malformed', effect: 'The body is broken JSON.' },
  { simulate: 'unknown_field', effect: 'Each object has a field more, as a later 1.x may.' },
  { simulate: 'unknown_code', effect: 'An error with a code that a later 1.x may add.' },
];

/** An example of each simulation, by group. @param least the least stable level that is served. */
export function simulationExamples(
  least: Stability,
): ReadonlyArray<readonly [group: string, examples: readonly SimulationExample[]]> {
  // An object literal has exactly the keys of its type.
  const codes = Object.keys(ERRORS) as readonly ErrorCode[];
  const served = codes.filter((code) => isErrorServed(code, least));
  return [
    ['Errors', served.map(failureOf)],
    ['Faults', FAULTS],
  ];
}

function failureOf(code: ErrorCode): SimulationExample {
  const { status, meaning } = ERRORS[code];
  return {
    simulate: hasRetryAfter(code) ? `${code};retry-after=2` : code,
    effect: `${status}: ${meaning}`,
  };
}
