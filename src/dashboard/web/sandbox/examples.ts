import { ERRORS, hasRetryAfter } from '../../../core/errors.ts';

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

const FAILURES = Object.entries(ERRORS).map(
  ([code, { status, meaning }]): SimulationExample => ({
    simulate: hasRetryAfter(code) ? `${code};retry-after=2` : code,
    effect: `${status}: ${meaning}`,
  }),
);

/** An example of each simulation, by group. */
export const SIMULATION_EXAMPLES: ReadonlyArray<
  readonly [group: string, examples: readonly SimulationExample[]]
> = [
  ['Errors', FAILURES],
  ['Faults', FAULTS],
];
