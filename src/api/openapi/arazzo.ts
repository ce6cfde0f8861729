import { PAGE_SIZE } from '../../core/pets/pets.ts';
import { DOCUMENT_PATH } from '../../http/target/served-operations.ts';
import { MINUTE, SECOND } from '../../lib/clock.ts';
import type { OperationId } from '../operations.ts';
import { NewPet } from '../pets/schemas.ts';

/** Path of the Arazzo document below the dashboard's address. */
export const ARAZZO_PATH = '/arazzo.json';

/** The last id of a full page: only a full page has a `Link` to the next one. */
const LAST_OF_PAGE = `$steps.page.outputs.pets#/${PAGE_SIZE.maximum - 1}/id`;

const apiKey = { type: 'string', description: 'A production key.' };
const authorization = { name: 'Authorization', in: 'header', value: 'Bearer {$inputs.apiKey}' };
const waitForLimit = { reference: '$components.failureActions.waitForLimit' };

/**
 * Workflows of the operations as an Arazzo 1.0 document: add a pet, page through the list, and after a 429
 * wait and try again.
 * @param baseUrl of production.
 */
export function arazzoDocument(baseUrl: string): Readonly<Record<string, unknown>> {
  return {
    arazzo: '1.0.1',
    info: {
      title: 'Petstore workflows',
      version: '1.0.0',
      summary: 'Add an animal and read the whole list, within the limits.',
      description:
        'How the operations of production are used together. A step that gets 429 waits for the seconds in `Retry-After` and tries again. `retryAfter` is for runners that do not read that header: it waits out the window of a minute, not the UTC day.',
    },
    sourceDescriptions: [{ name: 'petstore', url: baseUrl + DOCUMENT_PATH, type: 'openapi' }],
    workflows: [addAndList(), pageThrough()],
    components: {
      failureActions: {
        waitForLimit: {
          name: 'waitForLimit',
          type: 'retry',
          // The longest wait for the window of a minute. It is for runners that ignore the Retry-After of the
          // reply, which should take precedence according to Arazzo. Attempts that the UTC day refuses are
          // too few for a ban.
          retryAfter: MINUTE / SECOND,
          retryLimit: 5,
          criteria: [{ condition: '$statusCode == 429' }],
        },
      },
    },
  };
}

function addAndList(): object {
  return {
    workflowId: 'addAndList',
    summary: 'Add an animal, then read the whole list.',
    description:
      'The creation carries an `Idempotency-Key`, so that trying again adds no second animal.',
    inputs: {
      type: 'object',
      required: ['apiKey', 'idempotencyKey', 'name', 'categoryId'],
      properties: {
        apiKey,
        idempotencyKey: {
          type: 'string',
          description: 'Names this creation, so that trying again adds no second animal.',
        },
        name: { type: 'string', description: NewPet.properties.name.description },
        categoryId: {
          type: 'integer',
          format: 'int64',
          description: NewPet.properties.categoryId.description,
        },
      },
    },
    steps: [
      {
        stepId: 'add',
        description: 'Add the animal. After a 429, wait for the seconds in Retry-After.',
        operationId: 'createPet' satisfies OperationId,
        parameters: [
          authorization,
          { name: 'Idempotency-Key', in: 'header', value: '$inputs.idempotencyKey' },
        ],
        requestBody: {
          contentType: 'application/json',
          payload: { name: '$inputs.name', categoryId: '$inputs.categoryId' },
        },
        successCriteria: [{ condition: '$statusCode == 201' }],
        outputs: { petId: '$response.body#/id' },
        onFailure: [waitForLimit],
      },
      {
        stepId: 'list',
        description: 'Read the list from its beginning.',
        workflowId: 'pageThrough',
        parameters: [
          { name: 'apiKey', value: '$inputs.apiKey' },
          { name: 'after', value: 0 },
        ],
        outputs: { pets: '$outputs.pets' },
      },
    ],
    outputs: { petId: '$steps.add.outputs.petId', firstPage: '$steps.list.outputs.pets' },
  };
}

/** Calls itself to read the rest of the list: a step of Arazzo 1.0 cannot pass a value to itself. */
function pageThrough(): object {
  const hasNext = { context: '$response.header.Link', condition: 'rel="next"', type: 'regex' };
  return {
    workflowId: 'pageThrough',
    summary: 'Read the list from an id on, page by page.',
    description: `Calls itself as long as a page has a \`Link\` to the next one. Such a page is always full: its last animal is number ${PAGE_SIZE.maximum}. Each call puts out the animals of the page that it reads.`,
    inputs: {
      type: 'object',
      required: ['apiKey', 'after'],
      properties: {
        apiKey,
        after: { type: 'integer', format: 'int64', description: 'Only animals with a greater id.' },
      },
    },
    steps: [
      {
        stepId: 'page',
        description: 'Read one page. While the reply has a Link to the next one, there are more.',
        operationId: 'listPets' satisfies OperationId,
        parameters: [
          authorization,
          { name: 'limit', in: 'query', value: PAGE_SIZE.maximum },
          { name: 'after', in: 'query', value: '$inputs.after' },
        ],
        successCriteria: [{ condition: '$statusCode == 200' }],
        outputs: { pets: '$response.body' },
        onSuccess: [
          { name: 'continue', type: 'goto', stepId: 'rest', criteria: [hasNext] },
          { name: 'finish', type: 'end' },
        ],
        onFailure: [waitForLimit],
      },
      {
        stepId: 'rest',
        description: `Read what follows the last animal of the page, which is full: it has ${PAGE_SIZE.maximum}.`,
        workflowId: 'pageThrough',
        parameters: [
          { name: 'apiKey', value: '$inputs.apiKey' },
          { name: 'after', value: LAST_OF_PAGE },
        ],
      },
    ],
    outputs: { pets: '$steps.page.outputs.pets' },
  };
}
