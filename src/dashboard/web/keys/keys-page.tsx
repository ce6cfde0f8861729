import { Button } from '@mantine/core';
import { useState } from 'react';
import type { IssuedKeyInfo, KeyInfo } from '../../shared/api.ts';
import { useAddress } from '../common/address.ts';
import { type Dialog, useDialog, useIsShown, useSubject } from '../common/dialog.ts';
import { Page } from '../common/page.tsx';
import { Empty, Failure, Pending } from '../common/states.tsx';
import { useSuspension, WhileActive } from '../common/suspension.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { useKey, useKeys } from './key-calls.ts';
import { KeyFilter, shownKeysIn } from './key-filter.tsx';
import { isLive } from './key-state.tsx';
import { KeyTable } from './key-table.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { RenameKeyDialog } from './rename-key-dialog.tsx';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';

/** Creating, renaming, rotating and revoking keys. */
export default function KeysPage() {
  const creation = useDialog('create');
  const isCreating = useIsShown(creation, useSuspension() === undefined);
  const [issued, show] = useState<IssuedKeyInfo>();
  return (
    <Page
      title="Keys"
      description="Every request carries a key. The keys of one environment share your plan's limits."
      actions={
        <WhileActive>
          <Button onClick={() => creation.open('key')}>Create key</Button>
        </WhileActive>
      }
    >
      <Keys isIssued={issued !== undefined} onIssued={show} />
      {/* Closed before the page has gone back: it must not take the focus from the new key. */}
      <CreateKeyDialog
        key={creation.key}
        isOpen={isCreating && !issued}
        onClose={creation.close}
        onIssued={show}
      />
      <NewKeyDialog issued={issued} onClose={() => show(undefined)} />
    </Page>
  );
}

interface KeysProps {
  /** Whether a new key is shown. */
  readonly isIssued: boolean;
  readonly onIssued: (issued: IssuedKeyInfo) => void;
}

/** The list of keys, with the actions on them. */
function Keys({ isIssued, onIssued }: KeysProps) {
  const { parameters, change } = useAddress();
  const shown = shownKeysIn(parameters);
  const keys = useKeys(shown);
  const mayChange = useSuspension() === undefined;
  const renaming = useDialog('rename');
  const rotating = useDialog('rotate');
  const revoking = useDialog('revoke');
  const { pages, hasOlder, isLoading, showOlder } = keys.older;
  const listed = pages.flatMap((page) => page.keys);
  const renamed = useDialogAbout(renaming, listed, () => mayChange);
  const rotation = { ...rotating, isOpen: rotating.isOpen && !isIssued };
  const rotated = useDialogAbout(rotation, listed, (key) => mayChange && isLive(key));
  const revoked = useDialogAbout(revoking, listed, isLive);
  const { error, refetch } = renamed.failed ?? rotated.failed ?? revoked.failed ?? keys;
  if (!keys.data) return <Pending query={keys} label="Loading your keys" height={320} />;
  const isFiltered = Object.values(shown).some((value) => value !== '');
  if (listed.length === 0 && !isFiltered) {
    return <Empty title="No keys yet">Create one, and send it with your first request.</Empty>;
  }
  return (
    <>
      <KeyFilter shown={shown} onChange={change} />
      {listed.length === 0 ? (
        <Empty title="No key is like that">Search for another part of a name, or show all.</Empty>
      ) : (
        <KeyTable
          keys={listed}
          onRename={({ id }) => renaming.open(id)}
          onRotate={({ id }) => rotating.open(id)}
          onRevoke={({ id }) => revoking.open(id)}
        />
      )}
      {error && <Failure error={error} retry={refetch} />}
      {hasOlder && (
        <Button variant="default" mx="auto" loading={isLoading} onClick={showOlder}>
          Show older keys
        </Button>
      )}
      <RenameKeyDialog key={renaming.key} {...renamed.about} />
      <RotateKeyDialog key={rotating.key} {...rotated.about} onIssued={onIssued} />
      <RevokeKeyDialog key={revoking.key} {...revoked.about} />
    </>
  );
}

/**
 * The key that a dialog is about while it is open, how to close it, and the query that failed to find the key.
 * @param isPossible whether it may be opened.
 */
function useDialogAbout(
  dialog: Dialog,
  listed: readonly KeyInfo[],
  isPossible: (key: KeyInfo) => boolean,
) {
  const { key, failed } = useKey(dialog.isOpen ? dialog.subject : '', listed);
  const value = useSubject(dialog, key && isPossible(key) ? key : undefined);
  return { about: { value: dialog.isOpen ? value : undefined, onClose: dialog.close }, failed };
}
