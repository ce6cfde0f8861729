import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSession } from '../api.ts';

/** Why the account can change nothing, as a sentence; `undefined` if it is not suspended. The frame shows the reason. */
export function useSuspension(): string | undefined {
  return useSession().data?.account?.suspended ? 'Your account is suspended.' : undefined;
}

/** Fields and buttons that the service refuses while the account is suspended: disabled, with the reason. */
export function WhileActive({ children }: { readonly children: ReactNode }) {
  return <Unless reason={useSuspension()}>{children}</Unless>;
}

interface UnlessProps {
  /** Why the service refuses what these fields and buttons do, as a sentence; `undefined` if it does not. */
  readonly reason: string | undefined;
  readonly children: ReactNode;
}

/** Fields and buttons that are disabled if there is a reason, which is shown. */
export function Unless({ reason, children }: UnlessProps) {
  return (
    <fieldset className="while-active" disabled={reason !== undefined}>
      {reason !== undefined && (
        <Text component="legend" size="sm" c="dimmed" className="address">
          {reason}
        </Text>
      )}
      {children}
    </fieldset>
  );
}
