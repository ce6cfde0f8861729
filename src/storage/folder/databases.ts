import { ENVIRONMENTS } from '../../core/environments.ts';
import { FILE_NAMES } from '../data-folder.ts';
import { ACCOUNTS_SCHEMA, ENVIRONMENT_SCHEMA, type Schema } from '../sqlite/migrations.ts';

/** Every database that a data folder may hold, by file name. */
export const DATABASES: ReadonlyArray<readonly [name: string, schema: Schema]> = [
  [FILE_NAMES.accounts, ACCOUNTS_SCHEMA],
  ...ENVIRONMENTS.map((name) => [FILE_NAMES.database(name), ENVIRONMENT_SCHEMA] as const),
];
