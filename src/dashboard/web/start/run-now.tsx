import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { indentJson } from '../../../lib/exact-json.ts';
import { CallError, type SessionState, useAction } from '../api.ts';
import { ActionButton } from '../common/action-button.tsx';
import { Code } from '../common/copy.tsx';
import { PageLink } from '../common/page-link.tsx';
import { Failure } from '../common/states.tsx';
import { limitsFirst, type Reply, sendRequest, unreachableText } from '../send-request.ts';
import { type ExampleCall, type ExampleKey, MESSAGE, placeOf } from './examples.ts';

interface RunNowProps {
  readonly call: ExampleCall;
  readonly session: SessionState;
  readonly exampleKey: ExampleKey | undefined;
  /** Whether the account has a key, which the reader may have at hand. */
  readonly hasKey: boolean;
}

/** Sends the real request from this browser, and shows the real reply. */
export function RunNow({ call, session, exampleKey, hasKey }: RunNowProps) {
  const base = session.addresses[placeOf(call, exampleKey)];
  const run = useAction({
    mutationFn: (key: ExampleKey) =>
      call === 'message' ? sendMessage(base, key) : listPets(base, key),
  });
  return (
    <Stack gap="md">
      <Group gap="md">
        <ActionButton
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          disabled={!exampleKey}
          isBusy={run.isPending}
          onClick={() => exampleKey && run.mutate(exampleKey)}
        >
          Run it now
        </ActionButton>
        <Text size="sm" c="dimmed" className={exampleKey ? 'address monospace' : 'address'}>
          {exampleKey
            ? `${call === 'message' ? 'POST' : 'GET'} ${base}/${call === 'message' ? 'messages' : 'pets'}`
            : `${hasKey ? 'Paste your key first, or create another' : 'Create a key first'}: step 1.`}
        </Text>
      </Group>
      <section aria-label="Reply" aria-live="polite">
        {run.error && <Failure error={run.error} />}
        {run.data && <ReplyView reply={run.data} call={call} />}
        {!run.error && !run.data && (
          <div className="reply-waiting">
            <Text c="dimmed" size="sm">
              The reply appears here.
            </Text>
          </div>
        )}
      </section>
    </Stack>
  );
}

function ReplyView({ reply, call }: { reply: Reply; call: ExampleCall }) {
  return (
    <Stack gap="md">
      <Group gap="sm">
        <Badge size="lg" color={reply.status < 400 ? 'accent' : 'red'}>
          {reply.status} {reply.statusText}
        </Badge>
        <Text size="sm" c="dimmed">
          after {Math.round(reply.took)} ms
        </Text>
      </Group>
      <Title order={3} size="h5">
        Headers
      </Title>
      <table className="reply-headers">
        <tbody>
          {reply.headers.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Title order={3} size="h5">
        Body
      </Title>
      <Code value={reply.body} label="the body" />
      <Group gap="lg">
        {call === 'message' && <PageLink href="/messages">See it arrive in Messages</PageLink>}
        <PageLink href={requestAddress(reply)}>Find it in Requests</PageLink>
        <PageLink href="/keys">Manage your keys</PageLink>
      </Group>
    </Stack>
  );
}

/** The address of the request in the log, which explains the reply and the remedy. */
function requestAddress({ headers }: Reply): string {
  const id = headers.find(([name]) => name === 'x-request-id')?.[1] ?? '';
  return `/requests?${new URLSearchParams({ id })}`;
}

function sendMessage(base: string, key: ExampleKey): Promise<Reply> {
  return replyOf(`${base}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.text}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message: MESSAGE }),
  });
}

function listPets(base: string, key: ExampleKey): Promise<Reply> {
  return replyOf(`${base}/pets`, { headers: { authorization: `Bearer ${key.text}` } });
}

async function replyOf(url: string, init: RequestInit): Promise<Reply> {
  const reply = await sendRequest(url, init);
  if (!reply) throw new CallError(0, 'unreachable', unreachableText(url));
  return { ...reply, headers: limitsFirst(reply.headers), body: indentJson(reply.body) };
}
