import { Button } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { IssuedKeyInfo, KeyInfo } from '../../shared/api.ts';
import { type Dialog, useDialog } from '../common/dialog.ts';
import { Page } from '../common/page.tsx';
import { Empty, Pending } from '../common/states.tsx';
import { WhileActive } from '../common/suspension.tsx';
import { TYPING_PAUSE } from '../common/typing-pause.ts';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { ALL_KEYS, useKeys } from './key-calls.ts';
import { KeyFilter } from './key-filter.tsx';
import { KeyTable } from './key-table.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { RenameKeyDialog } from './rename-key-dialog.tsx';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';

/** Creating, renaming, rotating and revoking keys. */
export default function KeysPage() {
  const [isCreating, creation] = useDisclosure(false);
  const [issued, show] = useState<IssuedKeyInfo>();
  return (
    <Page
      title="Keys"
      description="Every request carries a key. The keys of one environment share your plan's limits."
      actions={
        <WhileActive>
          <Button onClick={creation.open}>Create key</Button>
        </WhileActive>
      }
    >
      <Keys onIssued={show} />
      <CreateKeyDialog isOpen={isCreating} onClose={creation.close} onIssued={show} />
      <NewKeyDialog issued={issued} onClose={() => show(undefined)} />
    </Page>
  );
}

/** The list of keys, with the actions on them. */
function Keys({ onIssued }: { readonly onIssued: (issued: IssuedKeyInfo) => void }) {
  const [filter, setFilter] = useState(ALL_KEYS);
  const [shown] = useDebouncedValue(filter, TYPING_PAUSE);
  const keys = useKeys(shown);
  const renaming = useDialog<KeyInfo>();
  const rotating = useDialog<KeyInfo>();
  const revoking = useDialog<KeyInfo>();
  if (!keys.data) return <Pending query={keys} label="Loading your keys" height={320} />;
  const isFiltered = Object.values(shown).some((value) => value !== '');
  if (keys.data.length === 0 && !isFiltered) {
    return <Empty title="No keys yet">Create one, and send it with your first request.</Empty>;
  }
  return (
    <>
      <KeyFilter shown={filter} onChange={setFilter} />
      {keys.data.length === 0 ? (
        <Empty title="No key is like that">Search for another part of a name, or show all.</Empty>
      ) : (
        <KeyTable
          keys={keys.data}
          onRename={renaming.open}
          onRotate={rotating.open}
          onRevoke={revoking.open}
        />
      )}
      {keys.hasNextPage && (
        <Button
          variant="default"
          mx="auto"
          loading={keys.isFetchingNextPage}
          onClick={() => void keys.fetchNextPage()}
        >
          Older keys
        </Button>
      )}
      <RenameKeyDialog key={renaming.key} {...shownIn(renaming)} />
      <RotateKeyDialog key={rotating.key} {...shownIn(rotating)} onIssued={onIssued} />
      <RevokeKeyDialog key={revoking.key} {...shownIn(revoking)} />
    </>
  );
}

/** The key that a dialog is about while it is open, and how to close it. */
function shownIn({ subject, isOpen, close }: Dialog<KeyInfo>) {
  return { value: isOpen ? subject : undefined, onClose: close };
}
