import { NativeSelect, Stack, Text, Title } from '@mantine/core';
import type { SessionInfo } from '../../shared/api.ts';
import { useAddress } from '../common/address.ts';
import { Code } from '../common/copy.tsx';
import { accountWith, requestWith } from './commands.ts';
import { simulationExamples } from './examples.ts';

const FIRST = 'unavailable;retry-after=2';

/** Every simulation with the calls that make requests of staging meet it. */
export function Simulations({
  addresses,
  stability,
}: Pick<SessionInfo, 'addresses' | 'stability'>) {
  const groups = simulationExamples(stability);
  const { parameters, change } = useAddress();
  const examples = groups.flatMap(([, each]) => each);
  const shown = (wanted: string) => examples.find((each) => each.simulate === wanted);
  const chosen = shown(parameters.get('simulation') ?? '');
  const simulate = chosen?.simulate ?? FIRST;
  return (
    <Stack gap="sm" component="section" aria-labelledby="simulations">
      <Title order={2} size="h4" id="simulations">
        Simulations
      </Title>
      <Text size="sm" c="dimmed">
        Errors and lost replies, as they happen in production. They work only with staging keys,
        also in the quickstart.
      </Text>
      <NativeSelect
        label="Simulation"
        description={(chosen ?? shown(FIRST))?.effect}
        data={groups.map(([group, examples]) => ({
          group,
          items: examples.map(({ simulate }) => ({ value: simulate, label: simulate })),
        }))}
        value={simulate}
        onChange={(event) => change({ simulation: event.currentTarget.value })}
        maw={360}
      />
      <Text size="sm">One request:</Text>
      <Code value={requestWith(simulate, addresses.staging)} label="the request" />
      <Text size="sm">The next two requests of the account:</Text>
      <Code value={accountWith(simulate, addresses.sandbox)} label="the call of the sandbox" />
      <Text size="sm" c="dimmed">
        For tools whose headers you cannot set, make a staging key with a simulation.
      </Text>
    </Stack>
  );
}
