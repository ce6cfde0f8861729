import type { ParameterDescription } from '../../http/operation.ts';
import { SIMULATE_HEADER } from '../../http/simulation/headers.ts';
import { refusalOf } from '../../http/target/query.ts';
import type { PublishedOperation } from '../operations.ts';
import { SIMULATIONS_IN_WORDS } from '../sandbox/schemas.ts';

const SIMULATE_PARAMETER: ParameterDescription = {
  name: SIMULATE_HEADER,
  in: 'header',
  required: false,
  description:
    'What this request meets instead of its own reply, such as `unavailable;retry-after=2` (an Item of ' +
    `RFC 9651). In staging alone. A simulated reply names it in \`Petstore-Simulated\`. ${SIMULATIONS_IN_WORDS}`,
  schema: { type: 'string', minLength: 1 },
  refusal: refusalOf(SIMULATE_HEADER, 'has an invalid value'),
};

/** The operation with the simulation header, which only the document of staging describes. */
export function withSimulateParameter(operation: PublishedOperation): PublishedOperation {
  const { parameters, errors } = operation;
  if (errors.includes('invalid_parameter')) {
    return { ...operation, parameters: [...parameters, SIMULATE_PARAMETER] };
  }
  return {
    ...operation,
    // The example of this error is about the first parameter.
    parameters: [SIMULATE_PARAMETER, ...parameters],
    errors: ['invalid_parameter', ...errors],
  };
}
