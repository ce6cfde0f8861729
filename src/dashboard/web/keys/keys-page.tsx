import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { IssuedKeyInfo, KeyInfo } from '../../shared/api.ts';
import { Page } from '../common/page.tsx';
import { Empty, Failure, Loading } from '../common/states.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { useKeys } from './key-calls.ts';
import { KeyTable } from './key-table.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';

/** Creating, rotating and revoking keys. */
export default function KeysPage() {
  const keys = useKeys();
  const [isCreating, creation] = useDisclosure(false);
  const [rotating, rotate] = useState<KeyInfo>();
  const [revoking, revoke] = useState<KeyInfo>();
  const [issued, show] = useState<IssuedKeyInfo>();
  return (
    <Page
      title="Keys"
      description="Every request carries a key. The keys of one environment share your plan's limits."
      actions={<Button onClick={creation.open}>Create key</Button>}
    >
      {keys.isPending && <Loading label="Loading your keys" height={320} />}
      {keys.error && <Failure error={keys.error} retry={keys.refetch} />}
      {keys.data?.length === 0 && (
        <Empty title="No keys yet">Create one, and send it with your first request.</Empty>
      )}
      {keys.data && keys.data.length > 0 && (
        <KeyTable keys={keys.data} onRotate={rotate} onRevoke={revoke} />
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
      <CreateKeyDialog isOpen={isCreating} onClose={creation.close} onIssued={show} />
      <RotateKeyDialog value={rotating} onClose={() => rotate(undefined)} onIssued={show} />
      <RevokeKeyDialog value={revoking} onClose={() => revoke(undefined)} />
      <NewKeyDialog issued={issued} onClose={() => show(undefined)} />
    </Page>
  );
}
