import { Anchor, Badge, Button, Group, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MessageInfo } from '../../shared/api.ts';
import { Copy } from '../common/copy.tsx';
import { useDialog } from '../common/dialog.ts';
import { countText, keyText, utcText } from '../common/format.ts';
import { PageLink } from '../common/page-link.tsx';
import { Failure } from '../common/states.tsx';
import { Time } from '../common/time.tsx';
import { keyRowId } from '../keys/key-row.ts';
import { SteadyList } from '../live/steady-list.tsx';
import { fold } from './fold.ts';
import { useMessage } from './message-calls.ts';

interface InboxProps {
  /** At least one, the newest first. */
  readonly messages: readonly MessageInfo[];
  /** Shown below the last message. */
  readonly older: ReactNode;
}

/** The list of messages. */
export function Inbox({ messages, older }: InboxProps) {
  const queued = messages.filter(({ status }) => status === 'queued').length;
  const opened = useDialog('message');
  const id = opened.isOpen ? opened.subject : '';
  const isListed = messages.some((message) => message.id === id);
  // A copied link may lead to a message that is older than those of the list, or that the search does not find.
  const { data, error, refetch } = useMessage(isListed ? '' : id);
  const shown = [...(data?.messages ?? []), ...messages];
  return (
    <>
      <VisuallyHidden role="status">
        {`${messages.length === 1 ? '1 message' : `${messages.length} messages`}, ${queued} queued`}
      </VisuallyHidden>
      <SteadyList label="Inbox" newest={shown[0]?.id ?? ''} height="100%" end={older}>
        {error && (
          <li className="message">
            <Failure error={error} retry={refetch} />
          </li>
        )}
        {shown.map((message) => (
          <li key={message.id} className="message">
            <Message
              message={message}
              isOpen={message.id === id}
              toggle={() => (message.id === id ? opened.close() : opened.open(message.id))}
            />
          </li>
        ))}
      </SteadyList>
    </>
  );
}

interface MessageProps {
  readonly message: MessageInfo;
  /** Whether it is shown with its details, and its whole text. */
  readonly isOpen: boolean;
  toggle(): void;
}

function Message({ message, isOpen, toggle }: MessageProps) {
  const { environment, key, text, status, createdAt } = message;
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
          {key && ` with ${keyText(key)}`}
        </Text>
        {/* Not a Button: buttons clip their content, and count as layout shifts while the list
            slides. */}
        <Anchor
          component="button"
          type="button"
          size="sm"
          underline="always"
          className="message-details-button"
          aria-expanded={isOpen}
          onClick={toggle}
        >
          Details
        </Anchor>
      </Group>
      <MessageText text={text} isOpen={isOpen} toggle={toggle} />
      {isOpen && <MessageDetails message={message} />}
    </>
  );
}

function MessageDetails({ message }: { readonly message: MessageInfo }) {
  const { id, key, environment, text, createdAt, deliveredAt } = message;
  const characters = Array.from(text).length;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Id', <code key="id">{id}</code>],
    [
      'Key',
      key ? (
        <PageLink key="key" href={`/keys#${keyRowId(key.id)}`} inherit>
          {keyText(key)}
        </PageLink>
      ) : (
        'no longer listed'
      ),
    ],
    ['Environment', environment],
    ['Sent', utcText(createdAt)],
    ['Delivered', deliveredAt === null ? 'not yet' : utcText(deliveredAt)],
    ['Length', characters === 1 ? '1 character' : `${countText(characters)} characters`],
  ];
  return (
    <Group align="flex-end" justify="space-between" gap="sm" className="message-details">
      <dl>
        {facts.map(([name, fact]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
      </dl>
      <Copy value={id} label="the id" />
    </Group>
  );
}

interface MessageTextProps extends Pick<MessageProps, 'isOpen' | 'toggle'> {
  readonly text: string;
}

function MessageText({ text, isOpen, toggle }: MessageTextProps) {
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
          onClick={toggle}
        >
          {isOpen ? 'Show less' : 'Show the whole message'}
        </Button>
      )}
    </>
  );
}
