import { document } from '../../pages/markdown.ts';
import { limits } from '../../pages/reference-sections.ts';
import type { Guide } from './guide.ts';

export const LIMITS_GUIDE: Guide = {
  name: 'limits',
  title: 'Limits',
  description: 'Requests per minute and per day by plan, and what happens past them.',
  body: () =>
    document(
      limits(),
      '## What is left',
      'Every reply has `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (Unix seconds) for the ' +
        'window with fewer requests left, and `RateLimit` with both windows. [Usage](/usage) shows both live.',
    ),
};
