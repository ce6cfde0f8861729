import { Anchor, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SessionInfo } from '../../shared/api.ts';
import { Code } from '../common/copy.tsx';
import { PageLink } from '../common/page-link.tsx';
import { basePath } from '../page-settings.ts';
import { refusedRequest, requestWith } from '../sandbox/commands.ts';

/** Runs a test suite with a service of its own. */
const IN_CI = `npm install --save-dev ./petstore-1.0.0.tgz
npx petstore run -- npm test`;

/** What to try after the first successful request. */
export function NextSteps({ addresses }: Pick<SessionInfo, 'addresses'>) {
  const mcp = `${addresses.dashboard}/mcp`;
  return (
    <Stack component="section" gap="xl" aria-labelledby="next">
      <div>
        <Title order={2} size="h3" id="next">
          What comes next
        </Title>
        <Text c="dimmed">
          The first two need a staging key in <code>PETSTORE_STAGING_KEY</code>: create one on{' '}
          <PageLink href="/keys">Keys</PageLink>.
        </Text>
      </div>
      <NextStep
        title="Meet a 429 on purpose"
        code={refusedRequest(addresses.staging, addresses.sandbox)}
        label="the calls that end with a 429"
      >
        The first call uses up your minute in staging, the second is refused. Its{' '}
        <code>Retry-After</code> says how long to wait. The guide{' '}
        <DocsLink path="/guides/limits">Limits</DocsLink> explains the headers.
      </NextStep>
      <NextStep
        title="Simulate a failure"
        code={requestWith('unavailable;retry-after=2', addresses.staging)}
        label="the call with a simulation"
      >
        A single request of staging fails as you ask. All errors, delays and lost replies are on{' '}
        <PageLink href="/sandbox">Sandbox</PageLink>.
      </NextStep>
      <NextStep title="Run your tests in CI" code={IN_CI} label="the two lines for CI">
        <code>npm pack</code> in a checkout of this service writes the package. Your tests get a
        service of their own, with its address in <code>PETSTORE_URL</code> and a key in{' '}
        <code>PETSTORE_KEY</code>.
      </NextStep>
      <NextStep
        title="Give the API to an agent"
        code={`claude mcp add --transport http petstore ${mcp} \\
  --header "Authorization: Bearer $PETSTORE_KEY"`}
        label="the command for Claude Code"
      >
        Every operation is a tool of the Model Context Protocol at <code>{mcp}</code>. The guide{' '}
        <DocsLink path="/guides/agents">Agents</DocsLink> configures other hosts.
      </NextStep>
    </Stack>
  );
}

interface NextStepProps {
  readonly title: string;
  readonly code: string;
  readonly label: string;
  readonly children: ReactNode;
}

function NextStep({ title, code, label, children }: NextStepProps) {
  return (
    <Stack gap="xs">
      <Title order={3} size="h4">
        {title}
      </Title>
      <Text size="sm" className="address">
        {children}
      </Text>
      <Code value={code} label={label} />
    </Stack>
  );
}

/** A link to a page of the reference, which is not part of the application. */
function DocsLink({ path, children }: { readonly path: string; readonly children: ReactNode }) {
  return (
    <Anchor href={`${basePath}/docs${path}`} underline="always" inherit>
      {children}
    </Anchor>
  );
}
