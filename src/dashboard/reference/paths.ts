import { OPERATION_IDS } from '../../api/all-operations.ts';
import { GUIDES } from './guides/guides.ts';

/** Path of the reference below the dashboard's address. */
export const REFERENCE_PATH = '/docs';
export const REFERENCE_TITLE = 'API reference';

/** Paths of the folders of pages, which have no page of their own: the overview lists what is in them. */
export const REFERENCE_FOLDERS = ['operations', 'guides'].flatMap((name) => [
  `${REFERENCE_PATH}/${name}`,
  `${REFERENCE_PATH}/${name}/`,
]);

/** Path of the page of an operation. */
export function operationPath(id: string): string {
  return `${REFERENCE_PATH}/operations/${id}`;
}

/** Path of a guide. */
export function guidePath(name: string): string {
  return `${REFERENCE_PATH}/guides/${name}`;
}

/** Path of the section about an error code in the guide. */
export function errorPath(code: string): string {
  return `${guidePath('errors')}#${code}`;
}

/** The paths of all pages of the reference. */
export const REFERENCE_PATHS: ReadonlySet<string> = new Set([
  REFERENCE_PATH,
  ...OPERATION_IDS.map(operationPath),
  ...GUIDES.map(({ name }) => guidePath(name)),
]);
