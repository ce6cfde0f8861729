import { REFERENCE_PATHS } from '../../src/dashboard/reference/paths.ts';
import { NARROW_PAGES, PAGE_TITLES } from '../../src/dashboard/shared/page-titles.ts';
import { SEARCH_PATH } from '../../src/dashboard/shared/search.ts';

/** A page of the reference that does not exist. */
const MISSING_PATH = '/docs/guides/none';

/** Pages for visitors who are not signed in. */
export const PUBLIC_PATHS = [
  ...REFERENCE_PATHS,
  ...[SEARCH_PATH, `${SEARCH_PATH}?q=limit`, MISSING_PATH, '/'],
  ...NARROW_PAGES,
];

export const OPERATOR_PATHS = [...PAGE_TITLES.keys()].filter((path) =>
  path.startsWith('/operator'),
);

export const CUSTOMER_PATHS = [...PAGE_TITLES.keys()].filter(
  (path) => !NARROW_PAGES.has(path) && !OPERATOR_PATHS.includes(path),
);
