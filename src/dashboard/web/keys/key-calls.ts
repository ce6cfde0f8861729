import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { IssuedKeyInfo, KeyInfo, KeyRotation, NewKey } from '../../shared/api.ts';
import { call } from '../api.ts';
import { useRecentSignIn } from '../sign-in/sign-in-again.tsx';

const KEYS = ['keys'] as const;

/** The person's keys, the newest first. */
export function useKeys() {
  return useQuery({
    queryKey: KEYS,
    queryFn: async () => (await call<{ keys: readonly KeyInfo[] }>('GET', '/keys')).keys,
  });
}

/** Makes a key, after signing in again where that is asked for. */
export function useCreateKey(): (key: NewKey) => Promise<IssuedKeyInfo> {
  const change = useKeyChange();
  return (key) => change(() => call('POST', '/keys', key));
}

/** Makes the successor of a key, after signing in again where that is asked for. */
export function useRotateKey(): (id: string, rotation: KeyRotation) => Promise<IssuedKeyInfo> {
  const change = useKeyChange();
  return (id, rotation) => change(() => call('POST', `/keys/${id}/rotate`, rotation));
}

/** Ends a key at once; done when the list shows it. */
export function useRevokeKey(): (id: string) => Promise<void> {
  const client = useQueryClient();
  const change = useKeyChange();
  return async (id) => {
    await change(() => call('DELETE', `/keys/${id}`));
    await client.invalidateQueries({ queryKey: KEYS }, { cancelRefetch: false });
  };
}

/** Whatever became of a change, the list is loaded anew: it may be why the change was refused. */
function useKeyChange() {
  const client = useQueryClient();
  const withRecentSignIn = useRecentSignIn();
  return async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await withRecentSignIn(action);
    } finally {
      void client.invalidateQueries({ queryKey: KEYS });
    }
  };
}
