import { Paper } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { MessageInfo } from '../../shared/api.ts';
import { call } from '../api.ts';
import { Page } from '../common/page.tsx';
import { Pending } from '../common/states.tsx';
import { LiveMark } from '../live/live-mark.tsx';
import { EmptyInbox } from './empty-inbox.tsx';
import { Inbox } from './inbox.tsx';
import './messages.css';

/** The inbox: messages that were sent to the quickstart with this account's keys. */
export default function MessagesPage() {
  const inbox = useQuery({
    queryKey: ['messages'],
    queryFn: () => call<{ messages: MessageInfo[] }>('GET', '/messages'),
  });
  return (
    <Page
      title="Messages"
      description="What your keys send to POST /messages appears here by itself. The last 100, or fewer long ones, for 30 days."
      actions={<LiveMark isLoaded={inbox.isSuccess} />}
    >
      <Paper withBorder className="inbox">
        {inbox.data ? (
          <Content messages={inbox.data.messages} />
        ) : (
          <Pending query={inbox} label="Loading messages" height="100%" />
        )}
      </Paper>
    </Page>
  );
}

function Content({ messages }: { readonly messages: readonly MessageInfo[] }) {
  return messages.length === 0 ? <EmptyInbox /> : <Inbox messages={messages} />;
}
