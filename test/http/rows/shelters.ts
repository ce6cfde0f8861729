import { MESSAGE_SCHEMAS } from '../../../src/api/messages/schemas.ts';
import { Pet } from '../../../src/api/pets/schemas.ts';
import {
  ENVIRONMENT_RESOURCES,
  QUICKSTART_RESOURCES,
  type Resources,
  SANDBOX_RESOURCES,
} from '../../../src/api/resources.ts';
import { PET_STATUSES } from '../../../src/core/pets/pets.ts';
import type { Handlers } from '../../../src/http/handler.ts';
import { IDEMPOTENCY_KEY, idempotencyKeyParameter } from '../../../src/http/idempotency-key.ts';
import type { Operation } from '../../../src/http/operation.ts';
import { NO_CONTENT } from '../../../src/http/reply/reply.ts';
import {
  enumParameter,
  idParameter,
  integerParameter,
} from '../../../src/http/target/parameters.ts';

const shelterId = idParameter(
  'shelterId',
  { code: 'not_found', message: 'The id of a shelter is a whole number.' },
  { description: 'The id of the shelter.', example: 1 },
);

/** Operations that the product does not have: one of each stability, with parameters of each kind. */
const SHELTER_OPERATIONS = {
  getShelter: {
    method: 'GET',
    path: '/shelters/{shelterId}',
    summary: 'Get a shelter',
    description: 'One shelter.',
    stability: 'beta',
    parameters: [
      shelterId,
      integerParameter(
        'size',
        { minimum: 1, maximum: 9, default: 4 },
        { description: 'Its size.', example: 5 },
      ),
      enumParameter('status', { type: 'string', enum: PET_STATUSES }, { description: 'A status.' }),
    ],
    success: {
      status: 200,
      schema: Pet,
      description: 'The shelter.',
      links: {
        closed: { operationId: 'closeShelter', parameters: {}, description: 'Close it.' },
      },
    },
    errors: ['not_found'],
  },
  closeShelter: {
    method: 'DELETE',
    path: '/shelters/{shelterId}',
    summary: 'Close a shelter',
    description: 'Closes it for good.',
    stability: 'experimental',
    parameters: [shelterId, idempotencyKeyParameter('Names this closure.')],
    success: { status: 204, description: 'The shelter is closed.' },
    errors: ['not_found', 'idempotency_conflict'],
  },
  messageShelter: {
    method: 'POST',
    path: '/shelters',
    summary: 'Write to a shelter',
    description: 'Writes to it.',
    stability: 'experimental',
    success: { status: 202, schema: MESSAGE_SCHEMAS.Message, description: 'Written.' },
  },
} as const satisfies Record<string, Operation>;

const HANDLERS: Handlers<typeof SHELTER_OPERATIONS> = {
  getShelter: ({ parameters }) => {
    const { shelterId, size, status } = parameters;
    // The types are those of the row.
    const typed: [bigint, number, string | undefined] = [shelterId, size, status];
    return { status: 200, body: JSON.stringify(typed.map(String)) };
  },
  closeShelter: ({ parameters }) => {
    const key = parameters[IDEMPOTENCY_KEY];
    if (key === 'full') return conflictOf('shelter_full');
    return key === 'busy' ? conflictOf('idempotency_conflict') : NO_CONTENT;
  },
  messageShelter: () => ({ status: 202, body: '{}' }),
};

function conflictOf(code: string) {
  const problem = { code, message: 'A conflict.' };
  return { status: 409, body: JSON.stringify({ ...problem, status: 409 }), problem };
}

const SHELTERS = {
  tag: 'Shelters',
  description: 'Where animals live.',
  schemas: { Message: MESSAGE_SCHEMAS.Message },
  operations: SHELTER_OPERATIONS,
  handlers: () => HANDLERS,
};

const ENVIRONMENT = [...ENVIRONMENT_RESOURCES, SHELTERS];

/** The resources of the product with the shelters. */
export const WITH_SHELTERS: Resources = {
  production: ENVIRONMENT,
  staging: ENVIRONMENT,
  quickstart: QUICKSTART_RESOURCES,
  sandbox: SANDBOX_RESOURCES,
};
