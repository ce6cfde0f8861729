import { Group, Text } from '@mantine/core';
import './live.css';

/** Shows whether the data of a page is up to date. Takes the same space either way. */
export function LiveMark({ isCurrent }: { readonly isCurrent: boolean }) {
  return (
    <Group gap={8} wrap="nowrap" w={84} mih={28} role="status">
      <span className="live-mark" data-current={isCurrent || undefined} aria-hidden="true" />
      <Text size="sm" c="dimmed">
        {isCurrent ? 'Live' : 'Not live'}
      </Text>
    </Group>
  );
}
