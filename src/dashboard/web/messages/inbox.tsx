import { Badge, Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import type { MessageInfo } from '../../shared/api.ts';
import { Time } from '../common/time.tsx';
import { SteadyList } from '../live/steady-list.tsx';
import { fold } from './fold.ts';

/** Messages, the newest first. There is at least one. */
export function Inbox({ messages }: { readonly messages: readonly MessageInfo[] }) {
  const queued = messages.filter(({ status }) => status === 'queued').length;
  return (
    <>
      <VisuallyHidden role="status">
        {`${messages.length === 1 ? '1 message' : `${messages.length} messages`}, ${queued} queued`}
      </VisuallyHidden>
      <SteadyList label="Inbox" newest={messages[0]?.id ?? ''} height="100%">
        {messages.map((message) => (
          <li key={message.id} className="message">
            <Message message={message} />
          </li>
        ))}
      </SteadyList>
    </>
  );
}

function Message({ message: { environment, text, status, createdAt } }: { message: MessageInfo }) {
  const isDelivered = status === 'delivered';
  return (
    <>
      <Group gap="sm" className="message-head">
        <Badge
          // Keyed by status, so that the text of the badge does not animate.
          key={status}
          w={104}
          variant={isDelivered ? 'light' : 'outline'}
          color={isDelivered ? 'accent' : 'gray'}
        >
          {status}
        </Badge>
        <Badge w={112} variant="default">
          {environment}
        </Badge>
        <Text size="sm" c="dimmed" component="span">
          <Time at={createdAt} />
        </Text>
      </Group>
      <MessageText text={text} />
    </>
  );
}

function MessageText({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(false);
  const folded = fold(text);
  return (
    <>
      <Text className="message-text" dir="auto">
        {folded === undefined || isOpen ? text : `${folded}…`}
      </Text>
      {folded !== undefined && (
        <Button
          variant="subtle"
          size="compact-sm"
          className="message-fold"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Show less' : 'Show the whole message'}
        </Button>
      )}
    </>
  );
}
