import { Group, Text } from '@mantine/core';
import './live.css';

/** Tells whether what a page shows is of this moment. Keeps its place either way. */
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
