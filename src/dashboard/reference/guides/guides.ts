import { ERRORS_GUIDE } from './errors.ts';
import type { Guide } from './guide.ts';
import { LIMITS_GUIDE } from './limits.ts';
import { QUICKSTART_GUIDE } from './quickstart.ts';

/** Every guide, in the order of the navigation. */
export const GUIDES: readonly Guide[] = [QUICKSTART_GUIDE, ERRORS_GUIDE, LIMITS_GUIDE];
