import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SandboxBanChange, SandboxInfo, SandboxUsageChange } from '../../shared/sandbox.ts';
import { call, useAction } from '../api.ts';

const SANDBOX = ['sandbox'] as const;

/** A change of the sandbox by a button. */
type SandboxChange =
  | { readonly kind: 'advance'; readonly seconds: number }
  | { readonly kind: 'ban'; readonly keyId: string; readonly ban: SandboxBanChange }
  | { readonly kind: 'lift'; readonly keyId: string }
  | { readonly kind: 'reset' };

/** The account's settings in the sandbox. */
export function useSandbox() {
  return useQuery({
    queryKey: SANDBOX,
    queryFn: () => call<SandboxInfo>('GET', '/sandbox'),
  });
}

/**
 * Changes the sandbox, one change at a time; the page shows the result immediately.
 * @param onDone called when a change has succeeded.
 */
export function useSandboxChange({ onDone }: { readonly onDone?: () => void } = {}) {
  return useAction({ mutationFn: send, ...useResult(onDone) });
}

/** Sets the remaining requests. A change during another one follows it, so that the last one wins. */
export function useUsageChange() {
  return useMutation({
    mutationFn: (usage: SandboxUsageChange) => call<SandboxInfo>('PUT', '/sandbox/usage', usage),
    ...useResult(),
  });
}

/** Changes of the sandbox are sent one after the other, and the page shows the result of each. */
function useResult(onDone?: () => void) {
  const client = useQueryClient();
  return {
    scope: { id: 'sandbox' },
    async onSuccess(info: SandboxInfo) {
      // A reply that is still on its way is outdated.
      await client.cancelQueries({ queryKey: SANDBOX });
      client.setQueryData(SANDBOX, info);
      onDone?.();
    },
  };
}

function send(change: SandboxChange): Promise<SandboxInfo> {
  switch (change.kind) {
    case 'advance':
      return call('POST', '/sandbox/clock', { advanceSeconds: change.seconds });
    case 'ban':
      return call('PUT', `/sandbox/bans/${change.keyId}`, change.ban);
    case 'lift':
      return call('DELETE', `/sandbox/bans/${change.keyId}`);
    case 'reset':
      return call('POST', '/sandbox/reset');
  }
}
