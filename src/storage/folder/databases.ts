import { ENVIRONMENTS } from '../../core/environments.ts';
import { FILE_NAMES } from '../data-folder.ts';
import { ACCOUNTS_SCHEMA, ENVIRONMENT_SCHEMA, type Schema } from '../sqlite/migrations.ts';

/** The databases that a data folder may contain, by file name. */
export const DATABASES: ReadonlyArray<readonly [name: string, schema: Schema]> = [
  [FILE_NAMES.accounts, ACCOUNTS_SCHEMA],
  ...ENVIRONMENTS.map((name) => [FILE_NAMES.database(name), ENVIRONMENT_SCHEMA] as const),
];
