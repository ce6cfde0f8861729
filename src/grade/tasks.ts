/** What the client has to do. The name is in the variable PETSTORE_TASK. */
export interface TaskDescription {
  /** In the imperative, for the help. */
  readonly does: string;
  /** The request that the task cannot do without. */
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: RegExp;
}

const LIST = /\/pets\/?(\?|$)/;
const ONE = /\/pets\/[^/?]+(\?|$)/;

export const TASKS = {
  'list-all': {
    does: 'list all animals, and print their ids in the order of the list',
    method: 'GET',
    path: LIST,
  },
  'create-one': {
    does: 'create an animal of the category PETSTORE_CATEGORY_ID, and print its id',
    method: 'POST',
    path: LIST,
  },
  'create-many': {
    does: 'create PETSTORE_COUNT such animals, and print their ids',
    method: 'POST',
    path: LIST,
  },
  'get-one': {
    does: 'fetch the animal PETSTORE_PET_ID by GET /pets/{petId}, and print its id',
    method: 'GET',
    path: ONE,
  },
  'update-one': {
    does: 'give the animal PETSTORE_PET_ID the status PETSTORE_STATUS by PATCH, with If-Match, and print its id',
    method: 'PATCH',
    path: ONE,
  },
} as const satisfies Record<string, TaskDescription>;
export type Task = keyof typeof TASKS;
