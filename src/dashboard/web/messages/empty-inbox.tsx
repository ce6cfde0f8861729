import { Box } from '@mantine/core';
import { useSession } from '../api.ts';
import { Code } from '../common/copy.tsx';
import { PageLink } from '../common/page-link.tsx';
import { exampleOf } from '../start/examples.ts';

/** Shows how to send the first message. */
export function EmptyInbox() {
  const { data } = useSession();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must scroll by keyboard, too.
    <section className="inbox-empty" aria-label="Inbox" tabIndex={0}>
      <h2>No messages yet</h2>
      <p>
        Send one, and watch it arrive here.{' '}
        <PageLink href="/" inherit>
          Start
        </PageLink>{' '}
        gives you the key for it.
      </p>
      {data && (
        <Box className="inbox-example">
          <Code label="the request" value={exampleOf('message', 'curl', data.addresses)} />
        </Box>
      )}
    </section>
  );
}
