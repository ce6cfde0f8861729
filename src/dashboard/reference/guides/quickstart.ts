import { document } from '../../pages/markdown.ts';
import { quickstart } from '../../pages/reference-sections.ts';
import type { Guide } from './guide.ts';

export const QUICKSTART_GUIDE: Guide = {
  name: 'quickstart',
  title: 'Quickstart',
  description: 'From no account to the first reply, in three steps.',
  body: ({ addresses }) =>
    document(
      '## Create a key',
      'Create an account on [the start page](/), and create a key there or on [Keys](/keys). The key is shown once.',
      '## Send a message',
      quickstart(addresses),
      '## See it arrive',
      'The message is on [Messages](/messages), where its status changes from `queued` to `delivered`.',
    ),
};
