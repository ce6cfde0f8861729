import { Drawer } from '@mantine/core';
import type { AccountInfo } from '../shared/api.ts';
import { useAfterMount } from './common/after-mount.ts';
import { Navigation } from './navigation.tsx';

interface MenuProps {
  readonly account: AccountInfo;
  readonly isOpen: boolean;
  close(): void;
}

/** The links to all pages on a phone. */
export default function Menu({ account, isOpen, close }: MenuProps) {
  return (
    <Drawer
      opened={useAfterMount(isOpen)}
      onClose={close}
      title="Menu"
      size={280}
      closeButtonProps={{ 'aria-label': 'Close the menu' }}
    >
      <Navigation account={account} onNavigate={close} />
    </Drawer>
  );
}
