import { SegmentedControl, Stack, Tabs, Text, Title } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { KeyLink, StepsInfo } from '../../shared/api.ts';
import { call, type SessionState } from '../api.ts';
import { BanNotices, useBans } from '../bans/ban-notices.tsx';
import { useAddress } from '../common/address.ts';
import { Code } from '../common/copy.tsx';
import { keyText } from '../common/format.ts';
import { Page } from '../common/page.tsx';
import { Failure, Loading } from '../common/states.tsx';
import { LANGUAGE, ofBrowser, recall, remember } from '../remember.ts';
import { type ExampleCall, type ExampleKey, exampleOf, type Language } from './examples.ts';
import { GetKey } from './get-key.tsx';
import { NextSteps } from './next-steps.tsx';
import { RunNow } from './run-now.tsx';

const LANGUAGES: readonly (readonly [language: Language, name: string, toRun: string])[] = [
  ['curl', 'curl', 'Paste it into a terminal.'],
  ['javascript', 'JavaScript', 'Save it as call.mjs and run node call.mjs: Node.js 20 or newer.'],
  [
    'typescript',
    'TypeScript',
    "Run npm pack ./client in the service's repository, then npm install ./petstore-client-1.0.0.tgz.",
  ],
  ['python', 'Python', 'Save it as call.py and run python3 call.py.'],
];

/**
 * Guides the user to the first successful request. The key is stored only in the memory of this
 * page.
 */
export default function StartPage({ session }: { session: SessionState }) {
  const [key, setKey] = useState<ExampleKey>();
  const { parameters, change } = useAddress();
  const chosen: ExampleCall = parameters.get('call') === 'pets' ? 'pets' : 'message';
  const { data: steps, isPending, error, refetch } = useSteps();
  // A notice that is shown later would move the steps down.
  const bans = useBans();
  const hasKey = Boolean(steps?.key);
  if (isPending || bans.isPending) {
    return (
      <StartFrame>
        <Loading label="Loading your steps" height={960} />
      </StartFrame>
    );
  }
  return (
    <StartFrame>
      <BanNotices />
      {error && <Failure error={error} retry={refetch} />}
      <ol className="steps">
        <Step number={1} title="Get a key" done={steps?.key && hasKeyText(steps.key, key)}>
          <GetKey value={key} hasKey={hasKey} onChange={setKey} />
        </Step>
        <Step
          number={2}
          title="Make the call"
          done={steps?.hasRequested && 'Your first request has arrived.'}
        >
          <SegmentedControl
            className="fit"
            aria-label="Which call"
            value={chosen}
            onChange={(value) => change({ call: value === 'pets' ? value : '' })}
            data={[
              { value: 'message', label: 'Send a message' },
              { value: 'pets', label: 'List animals' },
            ]}
          />
          <Examples call={chosen} session={session} exampleKey={key} />
        </Step>
        <Step
          number={3}
          title="Run it now"
          done={steps?.hasSentMessage && 'Your first message was sent.'}
        >
          {/* Another call or key discards the reply. */}
          <RunNow
            key={`${chosen} ${key?.text}`}
            call={chosen}
            session={session}
            exampleKey={key}
            hasKey={hasKey}
          />
        </Step>
      </ol>
      <NextSteps addresses={session.addresses} />
    </StartFrame>
  );
}

function StartFrame({ children }: { readonly children: ReactNode }) {
  return (
    <Page title="Start" description="Three steps to your first successful request.">
      {children}
    </Page>
  );
}

/** The steps that the account has taken, in this browser or elsewhere. */
function useSteps() {
  // Every request changes the usage, and with it these steps.
  return useQuery({
    queryKey: ['usage', 'steps'],
    queryFn: () => call<StepsInfo>('GET', '/start'),
  });
}

/** @param shown the key that the page shows. */
function hasKeyText({ name, lastFour }: KeyLink, shown: ExampleKey | undefined): string {
  const has = `You have the key ${keyText({ name, lastFour })}.`;
  return shown ? has : `${has} Paste it below, or create another.`;
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  /** Text that shows that the step is done; absent if it is not. */
  readonly done?: string | false | null | undefined;
  readonly children: ReactNode;
}

function Step({ number, title, done, children }: StepProps) {
  return (
    <li className="step">
      <span className="step-number" data-done={Boolean(done) || undefined} aria-hidden="true">
        {done ? <IconCheck size={18} /> : number}
      </span>
      <div>
        <Title order={2} size="h3">
          {title}
        </Title>
        <Text size="sm" c="dimmed" mih={22}>
          {done}
        </Text>
      </div>
      <Stack gap="md" className="step-body">
        {children}
      </Stack>
    </li>
  );
}

interface ExamplesProps {
  readonly call: ExampleCall;
  readonly session: SessionState;
  readonly exampleKey: ExampleKey | undefined;
}

/** The language that was chosen last, here or in the reference. */
function rememberedLanguage(): Language {
  return languageNamed(recall(ofBrowser, LANGUAGE)) ?? 'curl';
}

function languageNamed(name: string | null): Language | undefined {
  return LANGUAGES.find(([language]) => language === name)?.[0];
}

function Examples({ call, session, exampleKey }: ExamplesProps) {
  const { parameters, change } = useAddress();
  // Not the one that is chosen next: Back returns to this one.
  const [first] = useState(rememberedLanguage);
  return (
    <Tabs
      value={languageNamed(parameters.get('language')) ?? first}
      onChange={(chosen) => {
        remember(ofBrowser, LANGUAGE, chosen ?? '');
        change({ language: chosen === first ? '' : (chosen ?? '') });
      }}
      keepMounted={false}
    >
      <Tabs.List mb="sm" aria-label="Language">
        {LANGUAGES.map(([language, name]) => (
          <Tabs.Tab key={language} value={language}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {LANGUAGES.map(([language, name, toRun]) => (
        <Tabs.Panel key={language} value={language} className="example">
          <Text size="sm" c="dimmed" mb="xs">
            {toRun}
          </Text>
          <Code
            value={exampleOf(call, language, session.addresses, exampleKey)}
            label={`the request with ${name}`}
          />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
