import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSession } from '../api.ts';

/** Why the account can change nothing, as a sentence; `undefined` if it is not suspended. */
export function useSuspension(): string | undefined {
  const suspended = useSession().data?.account?.suspended;
  return suspended ? `Your account is suspended: ${suspended.reason}` : undefined;
}

/** Fields and buttons that the service refuses while the account is suspended: disabled, with the reason. */
export function WhileActive({ children }: { readonly children: ReactNode }) {
  const suspension = useSuspension();
  return (
    <fieldset className="while-active" disabled={suspension !== undefined}>
      {suspension !== undefined && (
        <Text component="legend" size="sm" c="dimmed" className="address">
          {suspension}
        </Text>
      )}
      {children}
    </fieldset>
  );
}
