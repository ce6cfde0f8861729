import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAfterMount } from './after-mount.ts';
import { focusOrContent } from './focus.ts';

interface OpenedDrawerProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** The label of the button that closes it. */
  readonly closer: string;
  onClose(): void;
  readonly children: ReactNode;
}

/** A drawer for one row of a list. */
export function OpenedDrawer({ isOpen, title, closer, onClose, children }: OpenedDrawerProps) {
  return (
    <Drawer
      opened={useAfterMount(isOpen)}
      onClose={onClose}
      onExitTransitionEnd={() => {
        // The link that opened it is gone with its row.
        if (document.activeElement === document.body) focusOrContent('content');
      }}
      position="right"
      size="lg"
      title={title}
      closeButtonProps={{ 'aria-label': closer }}
    >
      {children}
    </Drawer>
  );
}
