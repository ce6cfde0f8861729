import { Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { isRefused } from './live-channel.ts';
import './live.css';

/**
 * Shows whether the data of a page is up to date. Takes the same space either way.
 * @param isLoaded whether the latest data of the page is loaded; updates may be refused nevertheless.
 */
export function LiveMark({ isLoaded }: { readonly isLoaded: boolean }) {
  const client = useQueryClient();
  const subscribe = useCallback(
    (changed: () => void) => client.getQueryCache().subscribe(changed),
    [client],
  );
  const isCurrent = !useSyncExternalStore(subscribe, () => isRefused(client)) && isLoaded;
  return (
    <Group gap={8} wrap="nowrap" w={84} mih={28} role="status">
      <span className="live-mark" data-current={isCurrent || undefined} aria-hidden="true" />
      <Text size="sm" c="dimmed">
        {isCurrent ? 'Live' : 'Not live'}
      </Text>
    </Group>
  );
}
