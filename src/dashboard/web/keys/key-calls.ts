import {
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { Environment } from '../../../core/environments.ts';
import type {
  IssuedKeyInfo,
  KeyInfo,
  KeyNaming,
  KeyPage,
  KeyRotation,
  NewKey,
} from '../../shared/api.ts';
import { call } from '../api.ts';
import { useOlderPages } from '../common/older-pages.ts';
import { useRecentSignIn } from '../sign-in/sign-in-again.tsx';

const KEYS = ['keys'] as const;

/** The maximum number of pages of keys in a list to choose from. */
const PAGES_TO_CHOOSE_FROM = 20;

/** The filter for keys; an empty text or name matches all. */
export interface ShownKeys {
  readonly text: string;
  readonly environment: '' | Environment;
  readonly live: '' | 'true' | 'false';
}

export const ALL_KEYS: ShownKeys = { text: '', environment: '', live: '' };

/** The account's keys, the newest first, page by page. */
export function useKeys(shown: ShownKeys = ALL_KEYS) {
  const queryKey = [...KEYS, shown];
  const keys = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => keyPage(shown, pageParam),
    placeholderData: keepPreviousData,
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
  return { ...keys, older: useOlderPages(queryKey, keys) };
}

/** The account's keys to choose from, the newest first: the latest 1,000. */
export function useAllKeys(shown: ShownKeys = ALL_KEYS, isNeeded = true) {
  return useQuery({
    queryKey: [...KEYS, 'all', shown],
    queryFn: async () => {
      const all: KeyInfo[] = [];
      let next: string | null = '';
      for (let page = 0; page < PAGES_TO_CHOOSE_FROM && next !== null; page += 1) {
        const read: KeyPage = await keyPage(shown, next);
        all.push(...read.keys);
        next = read.next;
      }
      return all;
    },
    enabled: isNeeded,
    placeholderData: keepPreviousData,
  });
}

/**
 * One of the account's latest 1,000 keys, from the list if it has it, or the query that failed to find it.
 * @param id empty for none.
 */
export function useKey(id: string, listed: readonly KeyInfo[]) {
  const isWanted = (key: KeyInfo) => key.id === id;
  const found = listed.find(isWanted);
  const isMissing = id !== '' && found === undefined;
  const all = useAllKeys(ALL_KEYS, isMissing);
  const failed = isMissing && all.error ? all : undefined;
  return { key: found ?? all.data?.find(isWanted), failed };
}

/** @param from the `next` of the page before; empty for the first page. */
function keyPage(shown: ShownKeys, from: string): Promise<KeyPage> {
  const given = Object.entries({ ...shown, from }).filter(([, value]) => value !== '');
  return call('GET', `/keys?${new URLSearchParams(given)}`);
}

/** Creates a key, after signing in again where that is required. */
export function useCreateKey(): (key: NewKey) => Promise<IssuedKeyInfo> {
  const change = useKeyChange();
  return (key) => change(() => call('POST', '/keys', key));
}

/** Rotates a key, after signing in again where that is required. */
export function useRotateKey(): (id: string, rotation: KeyRotation) => Promise<IssuedKeyInfo> {
  const change = useKeyChange();
  return (id, rotation) => change(() => call('POST', `/keys/${id}/rotate`, rotation));
}

/** Gives a key another name. */
export function useRenameKey(): (id: string, naming: KeyNaming) => Promise<void> {
  const change = useKeyChange();
  return (id, naming) => change(() => call('PUT', `/keys/${id}`, naming));
}

/** Revokes a key; resolves when the list is updated. */
export function useRevokeKey(): (id: string) => Promise<void> {
  const client = useQueryClient();
  const change = useKeyChange();
  return async (id) => {
    await change(() => call('DELETE', `/keys/${id}`));
    await client.invalidateQueries({ queryKey: KEYS }, { cancelRefetch: false });
  };
}

/** Also reloads the list after a failed change, because an outdated list may be the reason. */
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
