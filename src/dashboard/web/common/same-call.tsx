import { Stack, Text } from '@mantine/core';
import type { Environment } from '../../../core/environments.ts';
import { useSession } from '../api.ts';
import { Code } from './copy.tsx';
import { type ApiCall, curlCall } from './curl-call.ts';

interface SameCallProps {
  readonly environment: Environment;
  readonly call: ApiCall;
  /** What it does, such as "Set to sold". */
  readonly title: string;
  /** The name of the command, for the label of the button that copies it. */
  readonly label: string;
}

/** The call of the API that does the same as a form or a button, as a command to copy. */
export function SameCall({ environment, call, title, label }: SameCallProps) {
  const addresses = useSession().data?.addresses;
  if (!addresses) return null;
  return (
    <Stack gap={4}>
      <Text size="sm">{title}</Text>
      <Code value={curlCall(environment, addresses[environment], call)} label={label} />
    </Stack>
  );
}
