import { NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { SessionInfo } from '../../shared/api.ts';
import { Code } from '../common/copy.tsx';
import { accountWith, requestWith } from './commands.ts';
import { SIMULATION_EXAMPLES } from './examples.ts';

const GROUPS = SIMULATION_EXAMPLES.map(([group, examples]) => ({
  group,
  items: examples.map(({ simulate }) => ({ value: simulate, label: simulate })),
}));

const EXAMPLES = SIMULATION_EXAMPLES.flatMap(([, examples]) => examples);
const FIRST = 'unavailable;retry-after=2';

/** Every simulation with the calls that make requests of staging meet it. */
export function Simulations({ addresses }: Pick<SessionInfo, 'addresses'>) {
  const [simulate, setSimulate] = useState(FIRST);
  const example = EXAMPLES.find((each) => each.simulate === simulate);
  return (
    <Stack gap="sm" component="section" aria-labelledby="simulations">
      <Title order={2} size="h4" id="simulations">
        Simulations
      </Title>
      <Text size="sm" c="dimmed">
        Errors and lost replies, as they happen in production. They work only with keys of staging,
        also in the quickstart.
      </Text>
      <NativeSelect
        label="Simulation"
        description={example?.effect}
        data={GROUPS}
        value={simulate}
        onChange={(event) => setSimulate(event.currentTarget.value)}
        maw={360}
      />
      <Text size="sm">One request:</Text>
      <Code value={requestWith(simulate, addresses.staging)} label="the request" />
      <Text size="sm">The next two requests of the account:</Text>
      <Code value={accountWith(simulate, addresses.sandbox)} label="the call of the sandbox" />
      <Text size="sm" c="dimmed">
        For tools whose headers you cannot set, make a key of staging with a simulation.
      </Text>
    </Stack>
  );
}
