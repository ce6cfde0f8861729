import {
  FAULTS,
  type FaultName,
  SIMULATION_PARAMETERS,
  type SimulationParameterName,
} from '../../../core/sandbox/simulations.ts';
import { table } from '../../pages/markdown.ts';

const EFFECTS: Readonly<Record<FaultName, string>> = {
  delay: 'The request is carried out, and its reply is sent after this many milliseconds.',
  drop: 'The connection ends without a byte of a reply. The request is not carried out.',
  drop_after: 'The request is carried out, and the connection ends without a byte of a reply.',
  truncate:
    "The request is carried out. Half of the reply's body arrives, then the connection ends: the reply is chunked, without its last chunk, so a client can tell that it is incomplete.",
  trickle:
    "The request is carried out. The reply's body arrives at this speed, chunked; after 60 s the rest arrives immediately.",
  flaky:
    'This share of the requests gets 503 `unavailable`, the others their own reply. The seed and the number of earlier requests decide which ones. The order begins again with a new key, `PUT /simulation` or `POST /reset`.',
  malformed:
    "The request is carried out. The reply's body is broken JSON, with the right type and length.",
  unknown_field:
    'The request is carried out. Each object of the reply has one more field, as a later 1.x may add.',
  unknown_code:
    'A 422 with a code that is not in the contract, as a later 1.x may add. The request is not carried out.',
};

/** The simulations other than errors, with their parameters. */
export function faultTable(): string {
  const faults: ReadonlyArray<[string, readonly SimulationParameterName[]]> =
    Object.entries(FAULTS);
  return table(
    ['Simulation', 'Parameters', 'What happens'],
    faults.map(([name, parameters]) => [
      `\`${name}\``,
      parameters.map((parameter) => `\`${parameter}\`: ${rangeOf(parameter)}`).join('; '),
      Object.entries(EFFECTS).find(([fault]) => fault === name)?.[1] ?? '',
    ]),
  );
}

/** The values of `retry-after`. */
export function retryAfterRange(): string {
  return `${rangeOf('retry-after')}, in seconds`;
}

function rangeOf(name: SimulationParameterName): string {
  const parameter = SIMULATION_PARAMETERS[name];
  const [from, to] = [parameter.minimum, parameter.maximum].map((bound) =>
    bound.toLocaleString('en'),
  );
  const usual =
    'fallback' in parameter ? `, default ${parameter.fallback.toLocaleString('en')}` : '';
  return `${from} to ${to}${usual}`;
}
