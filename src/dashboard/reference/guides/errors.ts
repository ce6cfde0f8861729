import { ERRORS } from '../../../core/errors.ts';
import { document, fenced } from '../../pages/markdown.ts';
import type { Guide } from './guide.ts';

export const ERRORS_GUIDE: Guide = {
  name: 'errors',
  title: 'Errors',
  description: 'Every error code with its status and meaning.',
  body: () =>
    document(
      'Every 4xx and 5xx reply has the same three fields. Codes are stable; messages are for people and may ' +
        'change. A later 1.x may add codes.',
      fenced('json', JSON.stringify(EXAMPLE, undefined, 2)),
      ...Object.entries(ERRORS).flatMap(([code, { status, meaning }]) => [
        `## \`${code}\``,
        `Status ${status}. ${meaning}`,
      ]),
    ),
};

const EXAMPLE = {
  code: 'pet_not_found',
  message: 'No animal has the id 42. List animals to see their ids.',
  status: 404,
};
