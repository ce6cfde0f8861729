import { Anchor, Button, Group, Paper } from '@mantine/core';
import { IconDownload, IconSearch } from '@tabler/icons-react';
import { OLDER_PAGES, useAddress } from '../common/address.ts';
import { olderPagesIn } from '../common/older-pages.ts';
import { Page } from '../common/page.tsx';
import { SearchField } from '../common/search-field.tsx';
import { Empty, Failure, Pending } from '../common/states.tsx';
import { LiveMark } from '../live/live-mark.tsx';
import { EmptyInbox } from './empty-inbox.tsx';
import { Inbox } from './inbox.tsx';
import { csvAddress, useMessages } from './message-calls.ts';
import './messages.css';

/** Maximum length of a search, in characters. */
const MAX_SEARCH = 200;

/** Delay between the last keystroke and the search, in ms: a search reads many messages. */
const TYPING = 400;

/** The inbox: messages that were sent to the quickstart with this account's keys. */
export default function MessagesPage() {
  const { parameters, change } = useAddress();
  const text = parameters.get('text')?.slice(0, MAX_SEARCH) ?? '';
  // Otherwise new messages would move the older ones that are being read.
  const isPaused = olderPagesIn(parameters) > 0;
  const inbox = useMessages(text, isPaused);
  return (
    <Page
      title="Messages"
      description="What your keys send to POST /messages appears here by itself, for 30 days."
      actions={
        isPaused ? (
          <Button variant="default" size="xs" onClick={() => change({ [OLDER_PAGES]: '' })}>
            Show new messages
          </Button>
        ) : (
          <LiveMark isLoaded={inbox.isSuccess && !inbox.isPlaceholderData} />
        )
      }
    >
      <Group gap="md" align="flex-end">
        <SearchField
          label="Find a message"
          placeholder="Part of its text"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={text}
          maxLength={MAX_SEARCH}
          onSearch={(value) => change({ text: value.trim() === '' ? '' : value }, 'text')}
          pause={TYPING}
          flex={1}
          miw={220}
          maw={420}
        />
        <Anchor href={csvAddress(text)} download size="sm" className="inbox-download">
          <IconDownload size={16} aria-hidden /> Download CSV (the latest 10,000)
        </Anchor>
      </Group>
      {inbox.data && inbox.error && <Failure error={inbox.error} retry={inbox.refetch} />}
      <Paper withBorder className="inbox">
        {inbox.data ? (
          <Content inbox={inbox} text={text} />
        ) : (
          <Pending query={inbox} label="Loading messages" height="100%" />
        )}
      </Paper>
    </Page>
  );
}

interface ContentProps {
  readonly inbox: ReturnType<typeof useMessages>;
  readonly text: string;
}

function Content({ inbox, text }: ContentProps) {
  const { pages, hasOlder, isLoading, showOlder } = inbox.older;
  const messages = pages.flatMap((page) => page.messages);
  const older = hasOlder && (
    <Button variant="default" mx="auto" loading={isLoading} onClick={showOlder}>
      {text === '' ? 'Show older messages' : 'Search older messages'}
    </Button>
  );
  if (messages.length > 0) return <Inbox messages={messages} older={older} />;
  if (text === '') return <EmptyInbox />;
  return (
    <Empty title={older ? 'Nothing found yet' : 'No message contains this text'}>
      {older || 'Search for another part of the text; upper and lower case are alike.'}
    </Empty>
  );
}
