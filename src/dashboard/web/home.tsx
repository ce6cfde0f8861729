import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { HOME_TITLE } from '../shared/page-titles.ts';
import type { SessionState } from './api.ts';
import { Code, Copy } from './common/copy.tsx';
import { Page } from './common/page.tsx';
import { basePath } from './page-settings.ts';
import { exampleOf } from './start/examples.ts';

const PLACES = [
  ['production', 'Production', 'Real animals, real limits.'],
  ['staging', 'Staging', 'The same API with data and counters of its own.'],
  ['quickstart', 'Quickstart', 'One call to try a key of either environment.'],
] as const;

/** The start page of a visitor who is not signed in. */
export function Home({ session }: { session: SessionState }) {
  return (
    <Page
      title={HOME_TITLE}
      description={
        <>
          A JSON API to keep and list animals, with real keys, rate limits and durable data. Create
          an account, make a key, and send the first request from this browser or your terminal.
        </>
      }
    >
      <Group gap="sm">
        <Button component={Link} href="/sign-up">
          Create account
        </Button>
        <Button component={Link} href="/sign-in" variant="default">
          Sign in
        </Button>
        <Button component="a" href={`${basePath}/docs`} variant="default">
          API reference
        </Button>
        <Button component="a" href="#quickstart" variant="default">
          Quickstart
        </Button>
      </Group>
      <Quickstart session={session} />
      <Addresses session={session} />
    </Page>
  );
}

function Quickstart({ session }: { session: SessionState }) {
  return (
    <Stack component="section" gap="sm" id="quickstart" className="anchor">
      <Title order={2} size="h3">
        Quickstart
      </Title>
      <Text c="dimmed">
        A key comes from the dashboard. Put it into <code>PETSTORE_KEY</code>; the reply is a 202
        with the queued message.
      </Text>
      <Code value={exampleOf('message', 'curl', session.addresses)} label="the request with curl" />
    </Stack>
  );
}

function Addresses({ session }: { session: SessionState }) {
  return (
    <Stack component="section" gap="sm">
      <Title order={2} size="h3">
        Addresses
      </Title>
      <ul className="rows">
        {PLACES.map(([place, title, words]) => (
          <li key={place} className="place">
            <div>
              <Text fw={600}>{title}</Text>
              <Text size="sm" c="dimmed">
                {words}
              </Text>
            </div>
            <span className="address monospace">{session.addresses[place]}</span>
            <Copy value={session.addresses[place]} label={`the address of ${place}`} />
          </li>
        ))}
      </ul>
    </Stack>
  );
}
