import { BODIES } from './bad-input/bodies.ts';
import { FRAMING } from './bad-input/framing.ts';
import { HEADERS } from './bad-input/headers.ts';
import { REQUEST_LINES } from './bad-input/request-lines.ts';
import type { Row } from './bad-input/rows.ts';
import { TARGETS } from './bad-input/targets.ts';

/** Raw requests of hostile or broken clients with the expected replies, by the kind of defect. */
export const BAD_INPUT: Readonly<Record<string, readonly Row[]>> = {
  'message framing': FRAMING,
  'request lines and methods': REQUEST_LINES,
  headers: HEADERS,
  'paths and queries': TARGETS,
  bodies: BODIES,
};
