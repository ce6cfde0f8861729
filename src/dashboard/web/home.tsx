import { Button, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { HOME_TITLE } from '../shared/page-titles.ts';
import type { SessionState } from './api.ts';
import { Copy } from './common/copy.tsx';
import { Page } from './common/page.tsx';
import { Exchanges } from './home/exchanges.tsx';
import { basePath } from './page-settings.ts';
import './home/home.css';

const PLACES = [
  ['production', 'Production', 'Real animals, real limits.'],
  ['staging', 'Staging', 'The same API with data and counters of its own.'],
  ['quickstart', 'Quickstart', 'One call to try a key of either environment.'],
] as const;

/** The start page of a visitor who is not signed in: what the service is, in one view. */
export function Home({ session }: { session: SessionState }) {
  return (
    <Page
      title={HOME_TITLE}
      description="A JSON API to keep, list and sell animals, with real keys, rate limits and durable data."
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
        <Button component="a" href={`${basePath}/docs/guides/quickstart`} variant="default">
          Quickstart
        </Button>
      </Group>
      <Exchanges session={session} />
      <WaysIn mcp={`${session.addresses.dashboard}/mcp`} />
      <Addresses session={session} />
    </Page>
  );
}

function WaysIn({ mcp }: { readonly mcp: string }) {
  return (
    <section aria-label="Ways in">
      <ul className="ways-in">
        <WayIn title="Call it" path="/docs" link="The operations">
          Send a request from the reference, or copy it for a terminal or a program.
        </WayIn>
        <WayIn title="Test with it" path="/docs/guides/sandbox" link="The sandbox">
          In CI, <code>npx petstore run -- npm test</code> starts one for your tests. Limits, bans
          and failures come when you ask for them.
        </WayIn>
        <WayIn title="Give it to an agent" path="/docs/guides/agents" link="The tools">
          Every operation is a tool (MCP) at <code>{mcp}</code>.
        </WayIn>
        <WayIn title="Operate it" path="/docs/guides/environments" link="The environments">
          <code>npm start</code> runs all of it: one process and one folder, with metrics and
          backups.
        </WayIn>
      </ul>
    </section>
  );
}

interface WayInProps {
  readonly title: string;
  /** Of the page that tells more. */
  readonly path: string;
  readonly link: string;
  readonly children: ReactNode;
}

function WayIn({ title, path, link, children }: WayInProps) {
  return (
    <li className="way-in">
      <h2>{title}</h2>
      <p>{children}</p>
      <a href={basePath + path}>{link}</a>
    </li>
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
