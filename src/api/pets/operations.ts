import { PET_TRANSITIONS } from '../../core/pets/pet-changes.ts';
import { PAGE_SIZE } from '../../core/pets/pets.ts';
import { MERGE_PATCH_MEDIA_TYPES } from '../../http/body/media-type.ts';
import { idempotencyKeyParameter } from '../../http/idempotency-key.ts';
import type { Operation } from '../../http/operation.ts';
import { preconditionParameters } from '../../http/preconditions.ts';
import { afterParameter, limitParameter, PAGINATION } from '../../http/target/paging.ts';
import { enumParameter, idParameter } from '../../http/target/parameters.ts';
import { NewPet, Pet, PetPatch, PetStatus, Pets } from './schemas.ts';

/** The second pet in an example store; the first one is the example of the schema. */
const PEBBLE = { id: 2, name: 'Pebble', categoryId: 3, status: 'sold' };

const STATUS = enumParameter('status', PetStatus, {
  description: 'Filters animals by availability status.',
  example: 'available',
});

const NO_ID = {
  code: 'pet_not_found',
  message: 'An id is a whole number, as the list of animals shows it.',
} as const;

/** The id in the path. @param purpose what the operation does with the animal, such as `retrieve`. */
function petIdParameter(purpose: string) {
  const description = `The id of the animal to ${purpose}.`;
  return idParameter('petId', NO_ID, { description, example: 1 });
}

/** Why an animal is not changed or deleted. */
const CHANGE_ERRORS = [
  'pet_not_found',
  'not_owner',
  'precondition_failed',
  'pet_reserved',
] as const satisfies Operation['errors'];

/** The operations on pets, by operation id. `handlers.ts` has a handler for each. */
export const PET_OPERATIONS = {
  listPets: {
    method: 'GET',
    path: '/pets',
    summary: 'List all animals',
    description:
      'Animals in ascending id. When more follow, the reply carries a `Link` header with ' +
      '`rel="next"` (RFC 8288): request that address to go on. A page without it is the last.',
    parameters: [limitParameter('animals'), STATUS, afterParameter('an animal', 'animals')],
    success: {
      status: 200,
      schema: Pets,
      description: 'A paginated list of animals.',
      headers: ['Link'],
      example: [Pet.example, PEBBLE],
      links: {
        firstPet: {
          operationId: 'getPet',
          parameters: { petId: '$response.body#/0/id' },
          description: 'The first animal of the page.',
        },
        nextPage: {
          operationId: 'listPets',
          parameters: {
            status: '$request.query.status',
            after: `$response.body#/${PAGE_SIZE.default - 1}/id`,
          },
          description:
            'The page after a full one of the default size. For any size, request the address of ' +
            '`Link` with `rel="next"` unchanged.',
        },
      },
    },
    isRevalidated: true,
    pagination: PAGINATION,
  },
  createPet: {
    method: 'POST',
    path: '/pets',
    summary: 'Add an animal',
    description:
      'The reply is sent once the animal is on disk. With an `Idempotency-Key` the request may be ' +
      'sent again: for 24 hours the first reply is given back and no second animal is made.',
    parameters: [
      idempotencyKeyParameter(
        'A text of your choice that names this creation, such as a UUID. Scoped to the account.',
      ),
    ],
    body: NewPet,
    noun: 'animal',
    success: {
      status: 201,
      schema: Pet,
      description: 'Animal added; the body carries the assigned `id`.',
      headers: ['Location', 'ETag', 'Idempotent-Replayed'],
      links: {
        createdPet: {
          operationId: 'getPet',
          parameters: { petId: '$response.body#/id' },
          description: 'The animal that was added.',
        },
      },
    },
    errors: ['idempotency_conflict', 'idempotency_mismatch'],
  },
  getPet: {
    method: 'GET',
    path: '/pets/{petId}',
    summary: 'Get an animal',
    description: 'One animal by its id. Use `GET /pets` with the `status` filter instead.',
    parameters: [petIdParameter('retrieve')],
    success: { status: 200, schema: Pet, description: 'The requested animal.' },
    isRevalidated: true,
    errors: ['pet_not_found', 'operation_removed'],
    deprecation: {
      deprecatedAt: Date.UTC(2026, 10, 20) / 1_000,
      sunset: Date.UTC(2030, 11, 5),
      successor: '/pets',
      section: '/operations/getPet#deprecation',
      note: 'Deprecated: removed on 5 December 2030. Use `GET /pets` with the `status` filter.',
    },
  },
  updatePet: {
    method: 'PATCH',
    path: '/pets/{petId}',
    summary: 'Change an animal',
    description:
      'Changes the fields that are sent, of an animal that your account added or that belongs to nobody. The reply is ' +
      'sent once the change is on disk. With the `ETag` of the animal as `If-Match` it fails with 412 if somebody has ' +
      'changed the animal since.',
    stability: 'beta',
    parameters: [...preconditionParameters('the animal'), petIdParameter('change')],
    body: PetPatch,
    mediaTypes: MERGE_PATCH_MEDIA_TYPES,
    transitions: PET_TRANSITIONS,
    success: {
      status: 200,
      schema: Pet,
      description: 'The animal as it is now.',
      headers: ['ETag'],
      example: { ...Pet.example, status: 'pending' },
    },
    errors: [...CHANGE_ERRORS, 'invalid_transition'],
  },
  deletePet: {
    method: 'DELETE',
    path: '/pets/{petId}',
    summary: 'Delete an animal',
    description:
      'Deletes an animal that your account added or that belongs to nobody. Its id is not given to another one. The ' +
      'reply is sent once the deletion is on disk.',
    stability: 'beta',
    parameters: [...preconditionParameters('the animal'), petIdParameter('delete')],
    success: { status: 204, description: 'The animal is deleted.' },
    errors: CHANGE_ERRORS,
  },
} as const satisfies Record<string, Operation>;
