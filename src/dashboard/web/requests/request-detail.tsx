import { Alert, Anchor, Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import type { ErrorInfo, RequestInfo } from '../../shared/requests.ts';
import { Code } from '../common/copy.tsx';
import { countText, isolated } from '../common/format.ts';
import { basePath } from '../page-settings.ts';
import { curlLine, hasBody } from './curl-line.ts';
import { PreciseTime, preciseUtc } from './precise-time.tsx';
import { millisecondsText, Outcome } from './request-table.tsx';

interface DetailProps {
  readonly request: RequestInfo | undefined;
  readonly errors: Readonly<Record<string, ErrorInfo>>;
  readonly onClose: () => void;
}

/** All details of one request. */
export function RequestDetail({ request, errors, onClose }: DetailProps) {
  return (
    <Drawer
      opened={request !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title="Request"
      closeButtonProps={{ 'aria-label': 'Close the request' }}
    >
      {request && (
        <Detail
          request={request}
          error={request.code === null ? undefined : errors[request.code]}
        />
      )}
    </Drawer>
  );
}

function Detail({
  request,
  error,
}: {
  readonly request: RequestInfo;
  readonly error?: ErrorInfo | undefined;
}) {
  const { method, path, message, headers, replayed, simulation } = request;
  return (
    <Stack gap="lg">
      <Group gap="md" align="flex-start" wrap="nowrap">
        <Outcome value={request} />
        <Text className="address monospace">
          {method} {path}
        </Text>
      </Group>
      {message !== null && <WhatFailed request={request} error={error} />}
      {simulation !== null && (
        <Text size="sm">{`This is the simulation “${simulation}” of staging, not a real failure.`}</Text>
      )}
      {replayed && (
        <Text size="sm">
          The reply is that of an earlier request with the same Idempotency-Key; nothing was done
          again.
        </Text>
      )}
      <Facts request={request} />
      <Stack gap="xs">
        <Title order={2} size="h5">
          Limits, as the reply showed them
        </Title>
        <table className="request-facts">
          <tbody>
            {Object.entries(headers).map(([name, value]) => (
              <Fact key={name} name={name}>
                <span className="monospace">{value}</span>
              </Fact>
            ))}
          </tbody>
        </table>
      </Stack>
      <Stack gap="xs">
        <Title order={2} size="h5">
          Send it again
        </Title>
        <Text size="sm" c="dimmed">
          {hasBody(request)
            ? 'Put a key into the variable, and the body into body.json: bodies are not recorded.'
            : 'Put a key into the variable.'}
        </Text>
        <Code value={curlLine(request)} label="the curl line" />
      </Stack>
    </Stack>
  );
}

function WhatFailed({
  request,
  error,
}: {
  readonly request: RequestInfo;
  readonly error?: ErrorInfo | undefined;
}) {
  const { code, message, status } = request;
  return (
    <Alert variant="light" color={status >= 500 ? 'red' : 'yellow'} title={message}>
      <Stack gap="xs">
        {error && (
          <>
            <Text size="sm">
              <b>Why: </b>
              <Explanation text={error.cause} />
            </Text>
            <Text size="sm">
              <b>What to do: </b>
              <Explanation text={error.cure} />
            </Text>
          </>
        )}
        <Anchor
          size="sm"
          underline="always"
          c="inherit"
          href={`${basePath}/docs/guides/errors#${code}`}
        >
          {`More about ${code}`}
        </Anchor>
      </Stack>
    </Alert>
  );
}

/** Plain text with code in backticks. */
function Explanation({ text }: { readonly text: string }) {
  return text.split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts never change their places.
    index % 2 ? <code key={index}>{part}</code> : <Fragment key={index}>{part}</Fragment>,
  );
}

function Facts({ request }: { readonly request: RequestInfo }) {
  const { at, requestId, environment, keyId, keyName, keyEnding } = request;
  const { durationMs, replyBytes, address, userAgent } = request;
  return (
    <table className="request-facts">
      <tbody>
        <Fact name="Time">
          <PreciseTime at={at} />
          <br />
          {preciseUtc(at)}
        </Fact>
        <Fact name="X-Request-Id">
          <span className="monospace">{requestId}</span>
        </Fact>
        <Fact name="Environment">{environment}</Fact>
        <Fact name="Key">
          {keyName === null ? 'removed' : `${isolated(keyName)} (…${keyEnding})`},{' '}
          <span className="monospace">{keyId}</span>
        </Fact>
        <Fact name="Took">{millisecondsText(durationMs)}</Fact>
        <Fact name="Size of the reply">{`${countText(replyBytes)} bytes`}</Fact>
        <Fact name="Address">{address}</Fact>
        <Fact name="User agent">{userAgent ?? 'none'}</Fact>
      </tbody>
    </table>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{children}</td>
    </tr>
  );
}
