import {
  FAULTS,
  type FaultName,
  SIMULATION_PARAMETERS,
  type SimulationParameterName,
} from '../../../core/simulations.ts';
import { table } from '../../pages/markdown.ts';

const EFFECTS: Readonly<Record<FaultName, string>> = {
  delay: 'The request is carried out, and its reply leaves so many milliseconds later.',
  drop: 'The connection ends without a byte of a reply. Nothing was done.',
  drop_after: 'The request is carried out, and the connection ends without a byte of a reply.',
  truncate:
    "The request is carried out. Half of the reply's body arrives, then the connection ends; `Content-Length` tells the whole size.",
  trickle:
    "The request is carried out. The reply's body arrives so slowly, chunked; after 60 s the rest follows at once.",
  flaky:
    'So large a share of the requests gets 503 `unavailable`, the rest its own reply. Which ones is decided by the seed and by how many came before: the same from a new key, `PUT /simulation` or `POST /reset` on.',
  malformed:
    "The request is carried out. The reply's body is broken JSON, with the right type and length.",
  unknown_field:
    'The request is carried out. Each object of the reply has a field more, as a later 1.x may.',
  unknown_code:
    'A 422 with a code that is not in the contract, as a later 1.x may add. Nothing was done.',
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
